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
});
