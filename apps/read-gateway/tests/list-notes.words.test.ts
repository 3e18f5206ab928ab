import { listNotes as contract } from '@crm/contract';
import { listNotes as readNotePage, loadSetup, noteCreate, type Queries } from '@crm/db';
import type { TestOrganization } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { writeRecord } from './support/write-record.js';

let gateway: TestGateway;

const addNote = async (
  { id }: TestOrganization,
  { title, content = null }: { readonly title: string | null; readonly content?: string | null },
  accountDomains: readonly string[],
): Promise<string> => {
  const row = { title, content, accountDomains, contactEmails: [] };
  return writeRecord(gateway.database, id, noteCreate(await loadSetup(gateway.database, id), row));
};

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

describe('200: q', () => {
  /** Each word must occur in the title or content; surrounding white space and case do not matter. */
  const texts = [
    ['Budget 2026', 'Approved by Ann.'],
    ['budget', null],
    [null, 'The BUDGET of ΟΔΥΣΣΕΥΣ\nand 100% of a_b\\c'],
    ['Über Straße', 'Cafe\u0301 in İstanbul'],
    ['ab', 'cd'],
  ] as const;
  let fresh: TestOrganization;
  const found = async (q: string, query: object = {}) =>
    (await gateway.clientOf(fresh).call(contract, { query: { q, ...query } })).data.notes.map(
      ({ title, content }) => title ?? content,
    );

  beforeAll(async () => {
    fresh = await gateway.createOrganization();
    for (const [title, content] of texts) await addNote(fresh, { title, content }, ['q.com']);
  });

  test.each([
    ['BUDGET', [texts[2][1], 'budget', 'Budget 2026']],
    ['  ann   budget ', ['Budget 2026']],
    ['οδυσσευς', [texts[2][1]]],
    ['100%', [texts[2][1]]],
    ['a_b\\c', [texts[2][1]]],
    ['a%b', []],
    ['café istanbul', ['Über Straße']],
    ['ÜBER', ['Über Straße']],
    ['b cd', ['ab']],
    ['abcd', []],
    ['b c', ['ab', 'Über Straße', texts[2][1]]],
    ['nothing', []],
    [' ', ['ab', 'Über Straße', texts[2][1], 'budget', 'Budget 2026']],
  ])('finds the notes with %s', async (q, expected) => {
    expect(await found(q)).toEqual(expected);
  });

  test('searches the notes of one account', async () => {
    await addNote(fresh, { title: 'Budget elsewhere' }, ['elsewhere.com']);
    const { notes } = (await gateway.clientOf(fresh).call(contract, { query: { q: 'elsewhere' } })).data;
    const account_id = notes[0]?.account_ids[0] ?? '';
    expect(await found('budget', { account_id })).toEqual(['Budget elsewhere']);
    expect(await found('2026', { account_id })).toEqual([]);
  });

  test('finds no notes of another organization', async () => {
    expect((await gateway.clientOf(gateway.stranger).call(contract, { query: { q: 'budget' } })).data.notes).toEqual(
      [],
    );
  });

  test('finds the same as a simple filter for random words, page by page', async () => {
    const random = await gateway.createOrganization();
    const client = gateway.clientOf(random);
    const pieces = ['ann', 'Bo', 'ÇA', 'x', '%', '_', '\\', 'acme.com', '  ', '\n'];
    const text = fc
      .array(fc.constantFrom(...pieces), { minLength: 1, maxLength: 5 })
      .map((parts) => `t${parts.join('')}`);
    const isFound = (note: string, words: readonly string[]) =>
      words.every((word) => note.toLowerCase().includes(word));
    const stored: string[] = [];
    for (const [title, content] of fc.sample(fc.tuple(fc.option(text), text), { numRuns: 60, seed: 22 })) {
      await addNote(random, { title, content }, ['a.com']);
      stored.unshift([title, content].filter((part) => part !== null).join(' '));
    }
    const query = fc.array(fc.constantFrom('ann', 'nn', 'b', 'ça', '%', '_', '\\', 'acme.com', 'ta', 'taNn', 'acme'), {
      minLength: 1,
      maxLength: 3,
    });
    let matches = 0;
    await fc.assert(
      fc.asyncProperty(query, fc.integer({ min: 1, max: 40 }), async (words, limit) => {
        const walked: string[] = [];
        let cursor = '';
        do {
          const { data } = await client.call(contract, { query: { q: words.join(' '), limit, cursor } });
          walked.push(
            ...data.notes.map(({ title, content }) => [title, content].filter((part) => part !== null).join(' ')),
          );
          cursor = data.next_cursor ?? '';
        } while (cursor !== '');
        expect(walked).toEqual(
          stored.filter((note) =>
            isFound(
              note,
              words.map((word) => word.toLowerCase()),
            ),
          ),
        );
        matches += walked.length;
      }),
      { numRuns: 40 },
    );
    expect(matches).toBeGreaterThan(100);
  });

  test('finds a rare word in many notes through the trigram index, newest first', async () => {
    const many = await gateway.createOrganization();
    const text = `INSERT INTO notes (organization_id, id, title, normalized_title, search_text, created_at, updated_at)
      SELECT $1, ('01890000-0000-7000-8000-' || lpad(to_hex(n), 12, '0'))::uuid, 'Common ' || n, 'common ' || n,
             'common ' || n || CASE WHEN n % 5000 = 1 THEN ' needle' ELSE '' END, now(), now() FROM generate_series(1, 12000) n`;
    await gateway.database.query(many.id, { text, values: [] });
    // VACUUM moves new rows from the pending list of the index into the index.
    await gateway.database.pool.query('VACUUM ANALYZE notes');
    const statements: { text: string; values: readonly unknown[] }[] = [];
    const recorder: Queries = {
      query: (id, statement) => {
        statements.push(statement);
        return gateway.database.query(id, statement);
      },
    };
    const targets = { accountId: null, contactId: null, opportunityId: null, position: null };
    const read = async (words: readonly string[], limit: number) => {
      statements.length = 0;
      const page = await readNotePage(recorder, { organizationId: many.id, ...targets, words, limit });
      return page.records.map((record) => (JSON.parse(record.toString()) as { title: string }).title);
    };
    expect(await read(['common'], 2)).toEqual(['Common 12000', 'Common 11999']);
    expect(statements).toHaveLength(1);
    expect(await read(['needle'], 10)).toEqual(['Common 10001', 'Common 5001', 'Common 1']);
    expect(statements).toHaveLength(2);
    const { text: last = '', values = [] } = statements[1] ?? {};
    const plan = await gateway.database.query(many.id, { text: `EXPLAIN (COSTS OFF) ${last}`, values });
    expect(JSON.stringify(plan)).toContain('notes_search_idx');
  });
});
