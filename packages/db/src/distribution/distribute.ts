import type pg from 'pg';
import { createClient } from '../connection/create-client.js';
import { pendingChanges, readVersion } from '../migrate/migrate.js';
import { readFunctions } from '../migrate/migrations.js';
import { compareSchema, queryRowOf, readSchemaHistory } from '../schema-history/schema-history.js';
import { distributeFunctions, reusePlans } from './distribute-functions.js';
import { type DistributeOptions, distributeTables, type Distribution, inSequenceSql } from './distribute-tables.js';

const extensionSql = `SELECT EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "hasExtension"`;

interface Nodes {
  readonly knowsCoordinator: boolean;
  readonly workers: number;
}

const nodesSql = `
  SELECT coalesce(bool_or(groupid = 0), false) AS "knowsCoordinator",
         count(*) FILTER (WHERE groupid <> 0 AND isactive AND shouldhaveshards)::int AS workers
    FROM pg_dist_node WHERE noderole = 'primary'`;

const firstRow = async <Row extends pg.QueryResultRow>(client: pg.Client, text: string): Promise<Row> => {
  const [row] = (await client.query<Row>(text)).rows;
  if (row === undefined) throw new Error('The server returned no row');
  return row;
};

/** @throws Error that says what the operator must do first */
const checkServer = async (client: pg.Client): Promise<void> => {
  const { hasExtension } = await firstRow<{ hasExtension: boolean }>(client, extensionSql);
  if (!hasExtension) {
    throw new Error(
      'The database has no extension citus. Load it with shared_preload_libraries = citus, run CREATE EXTENSION citus in this ' +
        'database on the coordinator and on every worker, and run crm distribute on the coordinator',
    );
  }
  const { knowsCoordinator, workers } = await firstRow<Nodes & pg.QueryResultRow>(client, nodesSql);
  if (!knowsCoordinator) {
    throw new Error("The workers do not know the coordinator: run SELECT citus_set_coordinator_host('HOST', 5432)");
  }
  if (workers === 0) {
    throw new Error("The coordinator has no workers: run SELECT citus_add_node('HOST', 5432) for each of them");
  }
  const difference = compareSchema(await readSchemaHistory(queryRowOf(client)), await readVersion());
  const pending = [...pendingChanges(difference), ...difference.newer];
  if (pending.length > 0)
    throw new Error(`The database does not match this version (${pending.join(', ')}): run crm migrate first`);
};

/**
 * Distributes a migrated database by organization over the workers of a Citus coordinator: all tables and the write functions in one
 * transaction. It can run again at any time, and then distributes new tables of later migrations.
 *
 * @param url - `postgres://…` of a superuser on the coordinator
 * @throws Error that says what is missing, or an error of the server; then no table was distributed
 */
export const distribute = async (url: string, options: DistributeOptions = {}): Promise<Distribution> => {
  const client = createClient(url, 'crm-distribute');
  client.on('error', () => undefined);
  await client.connect();
  try {
    await checkServer(client);
    await client.query('BEGIN');
    await client.query(inSequenceSql);
    const done = await distributeTables(client, options);
    options.onProgress?.('installing the write functions on all workers');
    await distributeFunctions(client, await readFunctions());
    await client.query('COMMIT');
    options.onProgress?.('measuring on a worker whether Citus reuses plans');
    await reusePlans(client);
    return done;
  } finally {
    await client.end();
  }
};
