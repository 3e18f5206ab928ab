import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate, readMigrations } from '@crm/db';
import { startLocalPostgres } from '@crm/local-postgres';
import pg from 'pg';
import { createDataset, datasetVersion } from './dataset.js';

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

/** Settings to generate data and to count pages. A power failure may lose data. */
const unsafe = { ...steady, fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** Settings for measurements, as in production: committed data is on disk. */
const durable = { ...steady, fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/** The key of the advisory lock that all runs share. Any number will do. */
const buildLock = 7_120_934;

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

/** A digest of the schema. Existing data can be reused as long as the schema and the generator stay the same. */
const fingerprint = async (): Promise<string> => {
  const hash = createHash('sha256');
  for (const { name, sql } of await readMigrations()) hash.update(name).update(sql);
  return hash.digest('hex').slice(0, 12);
};

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  // Without a listener, a lost connection would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
};

const addressOf = (serverUrl: string, database: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
};

type Log = (message: string) => void;

const fill = async (url: string, opportunities: number, log: Log): Promise<void> => {
  await migrate(url);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  try {
    await createDataset(pool, { opportunities, log });
  } finally {
    await pool.end();
  }
};

/** Reads the comment of an existing database, which names the generator and the migrations of its data. */
const stateOf = async (client: pg.Client, database: string): Promise<string | null> => {
  const { rows } = await client.query<{ state: string | null }>(
    `SELECT coalesce(shobj_description(oid, 'pg_database'), '') AS state FROM pg_database WHERE datname = $1`,
    [database],
  );
  return rows[0]?.state ?? null;
};

/** Fills a new database under a temporary name, so that an incomplete one is never used. */
const ensureDatabase = async (serverUrl: string, opportunities: number, log: Log): Promise<string> => {
  const name = `bench_${opportunities}`;
  const state = `generator ${datasetVersion}, migrations ${await fingerprint()}`;
  await withClient(serverUrl, async (client) => {
    // Without the lock, a parallel run would drop the unfinished database. The lock ends with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [buildLock]);
    const found = await stateOf(client, name);
    if (found === state) {
      // Installs the write functions if they have changed.
      await migrate(addressOf(serverUrl, name));
      return;
    }
    const unfinished = `${name}_new`;
    for (const old of [name, unfinished]) await client.query(`DROP DATABASE IF EXISTS ${old} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${unfinished} TEMPLATE template0`);
    await fill(addressOf(serverUrl, unfinished), opportunities, (text) => log(`${opportunities} deals: ${text}`));
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
    await client.query(`COMMENT ON DATABASE ${name} IS '${state}'`);
  });
  return addressOf(serverUrl, name);
};

/** Copies a database, file by file. It must have no connections during the copy. */
const copyDatabase = async (serverUrl: string, url: string): Promise<string> => {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_copy`;
  await withClient(serverUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${copy} TEMPLATE ${name} STRATEGY file_copy`);
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
 * Starts the benchmark's PostgreSQL in {@link benchFolder}. It ends with this process, unless it was already running.
 * @throws Error if a server is already running there with fsync off and a durable one is required
 */
export const startBenchServer = async ({ isDurable, log }: BenchServerOptions): Promise<BenchServer> => {
  const server = await startLocalPostgres({
    dataDir: resolve(benchFolder, 'postgres'),
    user: 'bench',
    // The server accepts connections only from this machine, and contains only generated data.
    password: 'bench',
    database: 'postgres',
    settings: isDurable ? durable : unsafe,
    stopOnExit: true,
    log,
  });
  const [setting] = await withClient(
    server.url,
    async (client) => (await client.query('SHOW fsync')).rows as unknown[],
  );
  if (isDurable && JSON.stringify(setting) !== '{"fsync":"on"}')
    throw new Error(`Another run uses the server in ${benchFolder} with fsync off. Wait until it ends.`);
  return {
    database: (opportunities) => ensureDatabase(server.url, opportunities, log),
    copy: (url) => copyDatabase(server.url, url),
    dropCopy: (url) =>
      withClient(server.url, async (client) => {
        await client.query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
      }),
    // A server that was already running belongs to another run.
    stop: async () => {
      if (!server.adopted) await server.stop();
    },
  };
};
