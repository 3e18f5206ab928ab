/** @not-on-citus the plan is that of one server */
import { listNotes, type Queries } from '@crm/db';
import { expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

const gateway = useGateway(startTestGateway);

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
  const targets = { accountIds: null, contactIds: null, opportunityIds: null, position: null };
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
