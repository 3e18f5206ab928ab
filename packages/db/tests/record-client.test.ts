import { createTestDatabase, type TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, joinRecords, openDatabase, type RecordBytes } from '../src/index.js';

const text = 'Zürich, Київ, 更新契約, 😀';
const organizationId = '00000000-0000-4000-8000-000000000001';

interface Row {
  readonly record_bytes: RecordBytes;
  readonly position: readonly string[];
  readonly [column: string]: unknown;
}

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase(async () => undefined, 'empty');
  // One connection: each statement meets what the one before it left.
  database = openDatabase({ url: testDatabase.url, applicationName: 'record-client-test', maxConnections: 1 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const query = <Columns extends Record<string, unknown>>(columns: string, isPrepared: boolean, rows = 3) =>
  database.query<Columns>(organizationId, {
    text: `SELECT ${columns} FROM generate_series(1, ${rows}) n WHERE $1::uuid IS NOT NULL`,
    values: [],
    isPrepared,
  });

describe.each([
  ['prepared', true],
  ['not prepared', false],
])('a statement that is %s', (_, isPrepared) => {
  test('gets records as bytes, and all else as ever', async () => {
    for (let round = 0; round < 3; round += 1) {
      const rows = await query<Row>(
        `n, '${text}' || n AS record_bytes, ARRAY['${text}'] AS position, NULL::text AS nothing`,
        isPrepared,
      );
      expect(rows.map((row) => ({ ...row, record_bytes: String(row.record_bytes) }))).toEqual(
        [1, 2, 3].map((n) => ({ n, record_bytes: `${text}${n}`, position: [text], nothing: null })),
      );
      expect(joinRecords(rows.map((row) => row.record_bytes)).toString()).toBe(`${text}1,${text}2,${text}3`);
      expect(await query(`'${text}' AS record`, isPrepared)).toEqual(Array(3).fill({ record: text }));
    }
  });

  test('finds texts again after one with records has failed within its rows', async () => {
    const failing = query(`'${text}' AS record_bytes, 1 / (2 - n) AS fails`, isPrepared);
    await expect(failing).rejects.toMatchObject({ message: 'division by zero' });
    expect(await query(`'${text}' AS record`, isPrepared)).toEqual(Array(3).fill({ record: text }));
  });

  test.each([1, 50, 20_000])(
    '%d records in several chunks stay what they are, and so do those of an earlier page',
    async (count) => {
      const expected = Array.from({ length: count }, (_unused, index) => `${text}${index + 1}`);
      const read = async () =>
        (await query<Row>(`'${text}' || n AS record_bytes`, isPrepared, count)).map((row) => row.record_bytes);
      const earlier = await read();
      const later = await read();
      expect(joinRecords(later).toString()).toBe(expected.join());
      expect(joinRecords(earlier).toString()).toBe(expected.join());
    },
  );
});

describe('records that are joined', () => {
  const read = async (from: number): Promise<RecordBytes[]> => {
    const rows = await query<Row>(`'${text}' || n + ${from} AS record_bytes`, true, 5);
    return rows.map((row) => row.record_bytes);
  };

  test('may be some of those that came, in any order, of several pages, or none', async () => {
    const [first, second] = [await read(0), await read(100)];
    const some = [...first.slice(0, 2), ...first.slice(3), ...second, ...first.toReversed()];
    expect(joinRecords(some).toString()).toBe(some.map(String).join());
    expect(joinRecords([])).toHaveLength(0);
  });

  test('are not copied where they are neighbours', async () => {
    const records = await read(0);
    expect(joinRecords(records.slice(1, 4)).buffer).toBe(joinRecords(records).buffer);
  });
});
