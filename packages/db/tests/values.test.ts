import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { openDatabase } from '../src/index.js';

const text = 'Zürich, Київ, 更新契約, 😀';
const organizationId = '00000000-0000-4000-8000-000000000001';

interface Row {
  readonly record_bytes: Buffer;
  readonly position: readonly string[];
  readonly [column: string]: unknown;
}

// One connection, so that each statement runs in the state that the previous one left.
const database = openDatabase({
  url: readTestStack().databaseUrl,
  applicationName: 'values-test',
  maxConnections: 1,
});
afterAll(() => database.close());

const query = <Columns extends Record<string, unknown>>(columns: string, rows = 3) =>
  database.query<Columns>(organizationId, {
    text: `SELECT ${columns} FROM generate_series(1, ${rows}) n WHERE $1::uuid IS NOT NULL`,
    values: [],
  });

/** Takes all room for prepared statements. */
const prepareOthers = async () => {
  for (let n = 0; n < 200; n += 1) await database.queryServer({ text: `SELECT ${n}` });
};

describe.each([
  ['prepared', async () => Promise.resolve()],
  ['not prepared', prepareOthers],
])('a statement that is %s', (_, prepare) => {
  beforeAll(prepare);

  test('returns records as bytes, and other columns as usual', async () => {
    for (let round = 0; round < 2; round += 1) {
      const rows = await query<Row>(
        `n, '${text}' || n AS record_bytes, ARRAY['${text}'] AS position, NULL::text AS nothing`,
      );
      expect(rows.map((row) => ({ ...row, record_bytes: String(row.record_bytes) }))).toEqual(
        [1, 2, 3].map((n) => ({ n, record_bytes: `${text}${n}`, position: [text], nothing: null })),
      );
      expect(await query(`'${text}' AS record`)).toEqual(Array(3).fill({ record: text }));
    }
  });

  test('returns texts after a statement with records has failed while returning rows', async () => {
    const failing = query(`'${text}' AS record_bytes, 1 / (2 - n) AS fails`);
    await expect(failing).rejects.toMatchObject({ message: 'division by zero' });
    expect(await query(`'${text}' AS record`)).toEqual(Array(3).fill({ record: text }));
  });

  test.each([1, 5_000])(
    '%d records in several chunks are complete, and do not overwrite those of an earlier page',
    async (count) => {
      const expected = Array.from({ length: count }, (_unused, index) => `${text}${index + 1}`);
      const read = async () =>
        (await query<Row>(`'${text}' || n AS record_bytes`, count)).map((row) => row.record_bytes);
      const earlier = await read();
      const later = await read();
      expect(later.map(String)).toEqual(expected);
      expect(earlier.map(String)).toEqual(expected);
    },
  );
});

describe('bound values', () => {
  const bound = async (type: string, value: unknown) =>
    (
      await database.queryServer<{ text: string | null; value: unknown }>({
        text: `SELECT $1::${type}::text AS text, $1::${type} AS value`,
        values: [value],
      })
    )[0];
  const id = '00000000-0000-4000-8000-000000000002';
  const quoted = ['a"b', 'c\\d', '{e,f}', 'null', 'NULL', '', ' ', text];
  const instant = new Date('2026-01-02T03:04:05.678Z');

  test.each<[type: string, value: unknown, read: unknown]>([
    ['text', text, text],
    ['text', undefined, null],
    ['text', 'null', 'null'],
    ['uuid[]', [id, organizationId], [id, organizationId]],
    ['text[]', quoted, quoted],
    ['text[]', ['a', null], ['a', null]],
    ['bytea', Buffer.from([0, 255, 92]), Buffer.from([0, 255, 92])],
    ['bytea[]', [Buffer.from([0, 255])], [Buffer.from([0, 255])]],
    ['int', 7, 7],
    ['bigint', '9007199254740993', '9007199254740993'],
    ['numeric', '1.50', '1.50'],
    ['float8', 1.5, 1.5],
    ['boolean', true, true],
    ['boolean', false, false],
    ['timestamptz', instant, instant],
    ['timestamptz', '2026-01-02 03:04:05.678+00', instant],
    // JSON is sent as text, and an object as its JSON.
    ['jsonb', '{"a":[1,"b"]}', { a: [1, 'b'] }],
    ['jsonb', { a: null }, { a: null }],
    ['json', '[1, 2]', [1, 2]],
  ])('%s %j', async (type, value, read) => {
    expect((await bound(type, value))?.value).toEqual(read);
    // The second time, the driver already knows the types of the parameters.
    expect((await bound(type, value))?.value).toEqual(read);
  });

  test('keep the microseconds of a timestamp text', async () => {
    expect(await bound('timestamptz', '2026-01-02 03:04:05.678901+00')).toMatchObject({
      text: expect.stringContaining('.678901') as unknown,
    });
  });
});
