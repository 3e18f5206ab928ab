import { fromByteText } from '@crm/domain';
import { createTestDatabase, type TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../src/index.js';

const text = 'Zürich, Київ, 更新契約, 😀';
const organizationId = '00000000-0000-4000-8000-000000000001';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase(async () => undefined, 'empty');
  // One connection: each statement meets what the one before it left.
  database = openDatabase({ url: testDatabase.url, applicationName: 'byte-client-test', maxConnections: 1 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const query = (columns: string, isPrepared: boolean) =>
  database.query<Record<string, string>>(organizationId, {
    text: `SELECT ${columns} FROM generate_series(1, 3) n WHERE $1::uuid IS NOT NULL`,
    values: [],
    isPrepared,
  });

describe.each([
  ['prepared', true],
  ['not prepared', false],
])('a statement that is %s', (_, isPrepared) => {
  test('gets rows with a column of bytes undecoded, and all others as texts', async () => {
    for (let round = 0; round < 3; round += 1) {
      const rows = await query(`'${text}' AS record_bytes, ARRAY['${text}'] AS position`, isPrepared);
      expect(rows).toHaveLength(3);
      for (const row of rows) {
        expect(row['record_bytes']).toHaveLength(Buffer.byteLength(text));
        expect(fromByteText(row['record_bytes'] ?? '')).toBe(text);
        expect(fromByteText(row['position']?.[0] ?? '')).toBe(text);
      }
      expect(await query(`'${text}' AS record`, isPrepared)).toEqual(Array(3).fill({ record: text }));
    }
  });

  test('finds texts again after one with bytes has failed within its rows', async () => {
    const failing = query(`'${text}' AS record_bytes, 1 / (2 - n) AS fails`, isPrepared);
    await expect(failing).rejects.toMatchObject({ message: 'division by zero' });
    expect(await query(`'${text}' AS record`, isPrepared)).toEqual(Array(3).fill({ record: text }));
  });
});
