import type pg from 'pg';

/**
 * Functions that exist only in this connection. Instead of `random()` they use hashes of a row's number, so that the
 * data does not depend on the query plan.
 */
const functions = `
  CREATE OR REPLACE FUNCTION pg_temp.uniform(p_row bigint, p_purpose bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (hashint8extended(p_row, p_purpose) & 4503599627370495)::float8 / 4503599627370496;
  CREATE OR REPLACE FUNCTION pg_temp.pick(p_words text[], p_uniform float8) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN p_words[1 + floor(p_uniform * cardinality(p_words))::int];
  CREATE OR REPLACE FUNCTION pg_temp.epoch_ms(p_at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (extract(epoch FROM p_at) * 1000)::bigint;
  CREATE OR REPLACE FUNCTION pg_temp.id_at(p_at timestamptz, p_seed text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (lpad(to_hex((extract(epoch FROM p_at) * 1000)::bigint), 12, '0')
      || '7' || substr(md5(p_seed), 1, 3) || '8' || substr(md5(p_seed), 4, 15))::uuid`;

/**
 * Runs `work` on one connection with the generator's functions: `pg_temp.uniform(row, purpose)` from 0 to 1,
 * `pg_temp.pick(words, uniform)`, `pg_temp.epoch_ms(at)` and `pg_temp.id_at(at, seed)`, a UUIDv7.
 */
export const withLoadSession = async <T>(pool: pg.Pool, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
  const client = await pool.connect();
  try {
    await client.query(`SET synchronous_commit = off; SET statement_timeout = 0; SET maintenance_work_mem = '512MB'`);
    await client.query(functions);
    return await work(client);
  } finally {
    // Closes the connection, because its settings must not affect others.
    client.release(true);
  }
};
