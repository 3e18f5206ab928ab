import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate, readMigrations } from '@crm/db';
import { startLocalPostgres } from '@crm/local-postgres';
import { createDataset, datasetVersion } from './dataset.js';
import { withClient } from './harness/with-client.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The folder of the benchmark's data: `.crm-bench`, or `CRM_BENCH_DIR`. */
export const benchFolder = resolve(process.env['CRM_BENCH_DIR'] ?? resolve(root, '.crm-bench'));

/**
 * Settings that keep the server from disturbing a measurement. With support for replicas it would write WAL by itself,
 * and that would count as WAL of the calls.
 */
const steady = {
  autovacuum: 'off',
  shared_buffers: '1GB',
  max_wal_size: '2GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
  // S18 counts plans.
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

/** A PostgreSQL that keeps its data from one run to the next. */
export interface BenchServer {
  /** The address of a database with the given number of deals. The first call creates it. */
  database(opportunities: number): Promise<string>;
  /** The address of a new copy to write to, which replaces the previous copy. */
  copy(url: string): Promise<string>;
  /** Drops a copy, and closes its connections. */
  dropCopy(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** The generator and the schema of a database. Existing data can be reused as long as both stay the same. */
const currentState = async (): Promise<string> => {
  const hash = createHash('sha256');
  for (const { name, sql } of await readMigrations()) hash.update(name).update(sql);
  return `generator ${datasetVersion}, migrations ${hash.digest('hex').slice(0, 12)}`;
};

const addressOf = (serverUrl: string, database: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
};

const nameIn = (url: string): string => new URL(url).pathname.slice(1);

type Log = (message: string) => void;

/** Fills a new database under a temporary name, so that an incomplete one is never used. */
const ensureDatabase = async (serverUrl: string, opportunities: number, log: Log): Promise<string> => {
  const name = `bench_${opportunities}`;
  const url = addressOf(serverUrl, name);
  const state = await currentState();
  await withClient(serverUrl, async (client) => {
    const text = `SELECT shobj_description(oid, 'pg_database') AS state FROM pg_database WHERE datname = $1`;
    const { rows } = await client.query<{ state: string | null }>(text, [name]);
    // Installs the write functions if they have changed.
    if (rows[0]?.state === state) return migrate(url);
    const unfinished = `${name}_new`;
    for (const old of [name, unfinished]) await client.query(`DROP DATABASE IF EXISTS ${old} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished} TEMPLATE template0`);
    await migrate(addressOf(serverUrl, unfinished));
    const logStep = (step: string): void => log(`${opportunities} deals: ${step}`);
    await createDataset(addressOf(serverUrl, unfinished), { opportunities, log: logStep });
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    return client.query(`COMMENT ON DATABASE ${name} IS '${state}'`);
  });
  return url;
};

/** Copies a database, file by file. It must have no connections during the copy. */
const copyDatabase = async (serverUrl: string, url: string): Promise<string> => {
  const copy = `${nameIn(url)}_copy`;
  await withClient(serverUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${copy} TEMPLATE ${nameIn(url)} STRATEGY file_copy`);
  });
  return addressOf(serverUrl, copy);
};

/** The options of {@link startBenchServer}. */
interface BenchServerOptions {
  /** Whether commits wait for the disk, as in production. Generating data is faster without. */
  readonly isDurable: boolean;
  /** Receives progress messages, one line each. */
  readonly log: Log;
}

/**
 * Starts the benchmark's PostgreSQL in {@link benchFolder}. It ends with this process.
 * @throws Error if another run uses it
 */
export const startBenchServer = async ({ isDurable, log }: BenchServerOptions): Promise<BenchServer> => {
  const durability = isDurable ? 'on' : 'off';
  const postgres = await startLocalPostgres({
    dataDir: resolve(benchFolder, 'postgres'),
    user: 'bench',
    // The server accepts connections only from this machine, and contains only generated data.
    password: 'bench',
    database: 'postgres',
    settings: { ...steady, fsync: durability, synchronous_commit: durability, full_page_writes: durability },
    stopOnExit: true,
    log,
  });
  const { url, pid, adopted } = postgres;
  if (adopted) throw new Error(`Another run uses the server in ${benchFolder}, or left its process ${pid} running`);
  return {
    database: (opportunities) => ensureDatabase(url, opportunities, log),
    copy: (original) => copyDatabase(url, original),
    dropCopy: async (copy) => {
      await withClient(url, (client) => client.query(`DROP DATABASE ${nameIn(copy)} WITH (FORCE)`));
    },
    stop: () => postgres.stop(),
  };
};
