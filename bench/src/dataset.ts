import type pg from 'pg';
import { checkOpportunities } from './dataset/check.js';
import { organizationLayouts } from './dataset/layout.js';
import { insertOpportunities } from './dataset/opportunities.js';
import { insertPeople } from './dataset/people.js';
import { insertOrganization } from './dataset/setup-rows.js';
import { withClient } from './harness/with-client.js';

/** To be increased whenever the same size gives different data, so that existing data is not reused. */
export const datasetVersion = 2;

/** The options of {@link createDataset}. */
interface DatasetOptions {
  /** The number of deals of the large organization. */
  readonly opportunities: number;
  /** Receives progress messages, one short phrase each. */
  readonly log?: (message: string) => void;
}

/**
 * Functions that exist only in this connection: `uniform(row, purpose)` from 0 to 1, `pick(words, uniform)`,
 * `epoch_ms(at)` and `id_at(at, seed)`, a UUIDv7. Instead of `random()` they use hashes of a row's number, so that the
 * data does not depend on the query plan.
 */
const sessionSql = `
  SET synchronous_commit = off; SET statement_timeout = 0; SET maintenance_work_mem = '512MB';
  -- Foreign keys are triggers, which do not fire in the replica role. Other roles may not set it, and load more slowly.
  SELECT set_config('session_replication_role', 'replica', false) FROM pg_roles WHERE rolname = current_user AND rolsuper;
  CREATE FUNCTION pg_temp.uniform(p_row bigint, p_purpose bigint) RETURNS float8 LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (hashint8extended(p_row, p_purpose) & 4503599627370495)::float8 / 4503599627370496;
  CREATE FUNCTION pg_temp.pick(p_words text[], p_uniform float8) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN p_words[1 + floor(p_uniform * cardinality(p_words))::int];
  CREATE FUNCTION pg_temp.epoch_ms(p_at timestamptz) RETURNS bigint LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (extract(epoch FROM p_at) * 1000)::bigint;
  CREATE FUNCTION pg_temp.id_at(p_at timestamptz, p_seed text) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (lpad(to_hex((extract(epoch FROM p_at) * 1000)::bigint), 12, '0')
      || '7' || substr(md5(p_seed), 1, 3) || '8' || substr(md5(p_seed), 4, 15))::uuid`;

/** The tables that the load fills. */
const loadedTables = ['accounts', 'contacts', 'opportunities', 'opportunity_contacts'];

/** All their indexes except primary keys, which belong to constraints. */
const secondaryIndexesSql = `
  SELECT i.indexname AS name, i.indexdef AS definition FROM pg_indexes i
   WHERE i.schemaname = current_schema AND i.tablename = ANY ($1)
     AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = format('%I.%I', i.schemaname, i.indexname)::regclass)
   ORDER BY i.tablename, i.indexname`;

/**
 * Runs `load` without the secondary indexes of the loaded tables, and then recreates them from their definitions.
 * Building an index once takes a fraction of the time of updating it for a million inserts.
 */
const withoutSecondaryIndexes = async (
  client: pg.Client,
  load: () => Promise<void>,
  log: (message: string) => void,
): Promise<void> => {
  const text = { text: secondaryIndexesSql, values: [loadedTables] };
  const { rows } = await client.query<{ name: string; definition: string }>(text);
  for (const { name } of rows) await client.query(`DROP INDEX ${client.escapeIdentifier(name)}`);
  await load();
  for (const [index, { name, definition }] of rows.entries()) {
    log(`index ${index + 1} of ${rows.length}: ${name}`);
    await client.query(definition);
  }
};

/**
 * Fills a migrated, empty database with realistic data: one large organization and a few small ones, names in several
 * scripts, and fields and words of known frequency. The same options give the same rows, including ids.
 *
 * @throws Error if a sample of the rows differs from what the write functions would store
 */
export const createDataset = (url: string, { opportunities, log = () => undefined }: DatasetOptions): Promise<void> =>
  withClient(url, async (client) => {
    const organizations = organizationLayouts(opportunities);
    await client.query(sessionSql);
    const load = async (): Promise<void> => {
      for (const organization of organizations) {
        await insertOrganization(client, organization);
        await insertPeople(client, organization);
        await insertOpportunities(client, organization, log);
      }
    };
    await withoutSecondaryIndexes(client, load, log);
    log('vacuum and analyze');
    await client.query(`VACUUM (ANALYZE) ${loadedTables.join(', ')}`);
    for (const { id } of organizations) await checkOpportunities(client, id);
  });
