import { type NaturalKeyVector, naturalKeyVectors } from '@crm/domain';
import type { TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import pg from 'pg';
import { createMigratedDatabase } from './support/database.js';

let database: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  database = await createMigratedDatabase();
  pool = new pg.Pool({ connectionString: database.url, max: 1 });
  await pool.query(`INSERT INTO organizations (id, name) VALUES ('00000000-0000-4000-8000-000000000001', 'Keys')`);
  await pool.query(
    `INSERT INTO pipelines (organization_id, id, name, position)
     VALUES ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002', 'Sales', 1)`,
  );
});
afterAll(async () => {
  await pool.end();
  await database.drop();
});

const columns = 'organization_id, id, search_text, created_at, updated_at';
const values = `'00000000-0000-4000-8000-000000000001', gen_random_uuid(), '', now(), now()`;
const inserts: Readonly<Record<NaturalKeyVector['kind'], string>> = {
  domain: `INSERT INTO accounts (${columns}, name, normalized_name, domain) VALUES (${values}, 'x', 'x', $1)`,
  email: `INSERT INTO contacts (${columns}, email) VALUES (${values}, $1)`,
  name: `INSERT INTO opportunities (${columns}, pipeline_id, account_key, record, normalized_name, name)
         VALUES (${values}, '00000000-0000-4000-8000-000000000002', '', '{}', '', $1)`,
};

/** The SQLSTATE with which the database rejects a key, or null if it accepts the key. Rolls back. */
const refusalOf = async (kind: NaturalKeyVector['kind'], key: string): Promise<string | null> => {
  await pool.query('BEGIN');
  try {
    await pool.query(inserts[kind], [key]);
    return null;
  } catch (error) {
    return error instanceof pg.DatabaseError ? (error.code ?? '') : String(error);
  } finally {
    await pool.query('ROLLBACK');
  }
};

const checkViolation = '23514';

describe('the constraints of the database', () => {
  const keys = naturalKeyVectors.flatMap(({ kind, expected }) =>
    expected === null ? [] : [[kind, expected] as const],
  );
  test.each(keys)('accept every normalized key: %s %s', async (kind, key) => {
    expect(await refusalOf(kind, key)).toBeNull();
  });

  // A key that is not normalized would allow a second record of the same company or person. A leading `www.` must be accepted, because
  // `www.com` is a domain of two labels.
  const forms = naturalKeyVectors.filter(
    ({ kind, input, expected }) =>
      kind !== 'name' && expected !== null && input !== expected && input !== `www.${expected}`,
  );
  const refused = naturalKeyVectors.filter(({ kind, expected }) => kind !== 'name' && expected === null);
  const storable = (vector: NaturalKeyVector): boolean => !/[\u0000]|\p{Surrogate}/u.test(vector.input);
  test.each(forms.filter(storable).map(({ kind, about, input }) => [kind, about, input] as const))(
    'reject a %s that is not normalized: %s',
    async (kind, _about, input) => {
      expect(await refusalOf(kind, input)).toBe(checkViolation);
    },
  );

  // The constraints check labels and lengths. Only the package `domain` knows that some names with valid labels are not domains.
  const onlyDomainKnows = new Set(
    refused
      .filter(({ input }) => /^(?:[a-z0-9._%+-]+@)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(input))
      .filter(({ about }) => /IPv4|numeric|hexadecimal|punycode|octal/.test(about))
      .map(({ input }) => input),
  );
  test.each(
    refused
      .filter(storable)
      .flatMap(({ kind, about, input }) => (onlyDomainKnows.has(input) ? [] : [[kind, about, input] as const])),
  )('reject an invalid %s: %s', async (kind, _about, input) => {
    expect(await refusalOf(kind, input)).toBe(checkViolation);
  });

  test.each(['', ' x', 'x ', 'n'.repeat(256)])('reject a name that is blank, padded or too long: %j', async (name) => {
    expect(await refusalOf('name', name)).toBe(checkViolation);
  });
});
