import { readTestStack } from '@crm/testing';
import { expect, test } from '@jest/globals';
import pg from 'pg';
import { type NaturalKeyVector, naturalKeyVectors } from '../../domain/tests/natural-key-vectors.js';

const organization = '00000000-0000-4000-8000-000000000001';
const columns = 'organization_id, id, search_text, created_at, updated_at';
const values = `'${organization}', gen_random_uuid(), '', now(), now()`;

/** In a transaction: a function that stores a key, and returns the SQLSTATE of its refusal, or an empty text. */
const setUp = `BEGIN;
  INSERT INTO organizations (id, name) VALUES ('${organization}', 'Keys');
  INSERT INTO pipelines (organization_id, id, name, comparable_name, position) VALUES ('${organization}', '${organization}', 'Sales', 'sales', 1);
  CREATE FUNCTION pg_temp.refusal_of(p_kind text, p_key text) RETURNS text LANGUAGE plpgsql AS $$
  BEGIN
    CASE p_kind
      WHEN 'domain' THEN
        INSERT INTO accounts (${columns}, name, normalized_name, domain) VALUES (${values}, 'x', 'x', p_key);
      WHEN 'email' THEN
        INSERT INTO contacts (${columns}, email) VALUES (${values}, p_key);
      WHEN 'name' THEN
        INSERT INTO opportunities (${columns}, pipeline_id, account_key, record, normalized_name, name)
        VALUES (${values}, '${organization}', gen_random_uuid()::text, '{}', '', p_key);
    END CASE;
    RETURN '';
  EXCEPTION WHEN check_violation THEN RETURN SQLSTATE;
  END $$;`;

type Key = readonly [kind: NaturalKeyVector['kind'], key: string];

const refusalsOf = async (keys: readonly Key[]): Promise<(readonly [...Key, string])[]> => {
  const client = new pg.Client({ connectionString: readTestStack().databaseUrl });
  await client.connect();
  try {
    await client.query(setUp);
    const text = 'SELECT pg_temp.refusal_of(k, v) AS refusal FROM unnest($1::text[], $2::text[]) AS t (k, v)';
    const { rows } = await client.query<{ refusal: string }>(text, [
      keys.map(([kind]) => kind),
      keys.map(([, key]) => key),
    ]);
    return keys.map(([kind, key], index) => [kind, key, rows[index]?.refusal ?? 'none']);
  } finally {
    await client.end();
  }
};

/** A key as it arrives, not normalized. */
const rawKeys = (vectors: readonly NaturalKeyVector[]): Key[] =>
  vectors
    .filter(({ kind, input }) => kind !== 'name' && !/[\u0000]|\p{Surrogate}/u.test(input))
    .map(({ kind, input }) => [kind, input]);

const expectRefused = async (keys: readonly Key[]): Promise<void> => {
  expect(keys).not.toEqual([]);
  expect(await refusalsOf(keys)).toEqual(keys.map(([kind, key]) => [kind, key, '23514']));
};

test('the constraints of the database accept every normalized key', async () => {
  const all = naturalKeyVectors.flatMap(({ kind, expected }) => (expected === null ? [] : [`${kind} ${expected}`]));
  const keys = [...new Set(all)].map((text) => [text.replace(/ .*/s, ''), text.replace(/^\w+ /, '')] as unknown as Key);
  expect(await refusalsOf(keys)).toEqual(keys.map(([kind, key]) => [kind, key, '']));
});

test('they reject a key that is not normalized, which would allow a second record of one company or person', async () => {
  // Leading `www.` must be accepted, because `www.com` is a domain of two labels.
  const isForm = ({ input, expected }: NaturalKeyVector): boolean =>
    expected !== null && input !== expected && input.replace(/^(?:www\.)+(?=.*\.)/, '') !== expected;
  await expectRefused(rawKeys(naturalKeyVectors.filter(isForm)));
});

test('they reject invalid keys, except for names with valid labels that only the package `domain` refuses', async () => {
  const onlyDomainKnows = ({ input, about }: NaturalKeyVector): boolean =>
    /^(?:[a-z0-9._%+-]+@)?[a-z0-9-]+(?:\.[a-z0-9-]+)+$/.test(input) &&
    /IPv4|numeric|hexadecimal|punycode|octal/.test(about);
  await expectRefused(rawKeys(naturalKeyVectors.filter((of) => of.expected === null && !onlyDomainKnows(of))));
  await expectRefused(['', ' x', 'x ', 'n'.repeat(256)].map((name) => ['name', name]));
});
