import { listNotes, type Queries } from '@crm/db';
import { reportFigure, testSize } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { walkSearch } from './property/walk.js';
import { copyRecord } from './support/bulk-rows.js';
import { startTestGateway, useGateway } from './support/gateway.js';
import { defineSubjectFields } from './support/seed-subject.js';
import { addRecord, subjects } from './support/subject.js';

/** More records than the `scan-next` plan ever reads for a page. */
const count = testSize({ short: 10_500, soak: 25_000 });

const gateway = useGateway(startTestGateway);
let ids: readonly string[];

beforeAll(async () => {
  const { database, organization } = gateway;
  await defineSubjectFields(organization, subjects.account);
  const template = { key: 'template', name: 'Template', custom: { motto: 'x', seats: 1 } };
  const id = await addRecord(database, organization, 'account', template);
  // The slot of `seats` is the first of its kind. Some records have no value, and the others come in groups.
  ids = await copyRecord(database, organization.id, {
    objectType: 'account',
    id,
    count,
    columns: {
      domain: `'d' || n || '.example'`,
      search_text: `'template d' || n || '.example'`,
      number_1: `CASE WHEN n % 10 = 0 THEN NULL ELSE n * 7919 % 1009 END`,
      created_at: `CASE WHEN n % 3 = 0 THEN t.created_at ELSE t.created_at + n % 97 * interval '1 second' END`,
    },
  });
});

describe('200', () => {
  // Sorts by one key with an index first try the next records of the index. Sorts by several keys sort all matches.
  test.each([
    [['seats:desc', 'motto:asc']],
    [['name', 'seats']],
    [['seats:asc', 'created_at:desc', 'version']],
    [['created_at']],
    [['seats']],
    [['name:desc']],
  ])('R5: a walk over ten thousand results with filters, by %j, misses none and repeats none', async (sort) => {
    const filters = [
      { field: 'motto', operator: 'starts_with', value: 'X' },
      { not: { field: 'domain', operator: 'eq', value: 'template.example' } },
    ];
    const walked = await walkSearch(gateway.client, 'account', { filters, sort, limit: 500 });
    const found = walked.map(({ id }) => id);
    reportFigure('R5', `records missed of ${count}, by ${JSON.stringify(sort)}`, count - new Set(found).size, 0);
    expect(found.sort()).toEqual([...ids].sort());
  });

  test('R5: a walk over every hundredth record, by a sort unrelated to the filter, misses none', async () => {
    const wanted = ids.filter((_id, index) => index > 7 && (index + 1) % 100 === 7);
    const filters = { field: 'domain', operator: 'ends_with', value: '07.example' };
    for (const sort of ['created_at:desc', 'seats', 'updated_at']) {
      const walked = await walkSearch(gateway.client, 'account', { filters, sort, limit: 20 });
      expect(walked.map(({ id }) => id).sort()).toEqual([...wanted].sort());
    }
  });

  test('R5: a walk over every hundredth record by a word misses none', async () => {
    const wanted = ids.filter((_id, index) => index > 7 && (index + 1) % 100 === 7);
    const walked = await walkSearch(gateway.client, 'account', { query: '07.EXAMPLE', limit: 50 });
    expect(walked.map(({ id }) => id).sort()).toEqual([...wanted].sort());
  });
});

test('200: finds a rare word in many notes through the trigram index, newest first', async () => {
  const { database, organization } = gateway;
  const text = `INSERT INTO notes (organization_id, id, title, normalized_title, search_text, created_at, updated_at)
    SELECT $1, ('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Common ' || n, 'common ' || n,
           'common ' || n || CASE WHEN n % 5000 = 1 THEN ' needle' ELSE '' END, now(), now() FROM generate_series(1, 12000) n`;
  await database.query(organization.id, { text, values: [] });
  // VACUUM moves new rows from the pending list of the index into the index.
  await database.pool.query('VACUUM ANALYZE notes');
  const statements: { text: string; values: readonly unknown[] }[] = [];
  const recorder: Queries = {
    query: (id, statement) => {
      statements.push(statement);
      return database.query(id, statement);
    },
  };
  const targets = { accountId: null, contactId: null, opportunityId: null, position: null };
  const read = async (words: readonly string[], limit: number) => {
    statements.length = 0;
    const page = await listNotes(recorder, { organizationId: organization.id, ...targets, words, limit });
    return page.records.map((record) => (JSON.parse(record.toString()) as { title: string }).title);
  };
  /** Whether the only statement of the last page looked the words up in the trigram index. */
  const usedIndex = async (): Promise<boolean> => {
    const [{ text, values }] = statements as [{ text: string; values: readonly unknown[] }];
    expect(statements).toHaveLength(1);
    const explain = { text: `EXPLAIN (ANALYZE, COSTS OFF, TIMING OFF) ${text}`, values };
    const lines = (await database.query<{ 'QUERY PLAN': string }>(organization.id, explain)).map(
      (row) => row['QUERY PLAN'],
    );
    return lines.some((line) => line.includes('notes_search_idx') && !line.includes('never executed'));
  };
  expect(await read(['common'], 2)).toEqual(['Common 12000', 'Common 11999']);
  expect(await usedIndex()).toBe(false);
  expect(await read(['needle'], 10)).toEqual(['Common 10001', 'Common 5001', 'Common 1']);
  expect(await usedIndex()).toBe(true);
});
