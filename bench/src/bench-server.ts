import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate, readMigrations } from '@crm/db';
import { startLocalPostgres } from '@crm/local-postgres';
import pg from 'pg';
import { createDataset, datasetVersion } from './dataset.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Nothing here must survive a power failure, and nothing may change what is measured behind its back. */
const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  autovacuum: 'off',
  shared_buffers: '1GB',
  max_wal_size: '8GB',
};

/** Any number will do, as long as every run takes the same. */
const buildLock = 7_120_934;

/** A PostgreSQL that keeps its data from one run to the next. */
export interface BenchServer {
  /** The address of a database with so many deals, which is made at the first call. */
  database(opportunities: number): Promise<string>;
  stop(): Promise<void>;
}

/** Data that were kept are good as long as the schema and the generator are the same. */
const fingerprint = async (): Promise<string> => {
  const hash = createHash('sha256').update(String(datasetVersion));
  for (const { name, sql } of await readMigrations()) hash.update(name).update(sql);
  return hash.digest('hex').slice(0, 12);
};

const withClient = async <T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> => {
  const client = new pg.Client({ connectionString: url });
  // Without a listener a server that goes away would end the process.
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

const fill = async (url: string, opportunities: number, log: (message: string) => void): Promise<void> => {
  await migrate(url);
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  pool.on('error', () => undefined);
  try {
    await createDataset(pool, { opportunities, log });
  } finally {
    await pool.end();
  }
};

/** Makes a database under another name first, so that half of one is never taken for it. */
const ensureDatabase = async (
  serverUrl: string,
  opportunities: number,
  log: (message: string) => void,
): Promise<string> => {
  const prefix = `bench_${opportunities}_`;
  const name = `${prefix}${await fingerprint()}`;
  const url = addressOf(serverUrl, name);
  await withClient(serverUrl, async (client) => {
    // Another run would take what this one is making for a leftover; the lock goes with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [buildLock]);
    const { rows } = await client.query<{ datname: string }>(
      'SELECT datname FROM pg_database WHERE starts_with(datname, $1)',
      [prefix],
    );
    if (rows.some(({ datname }) => datname === name)) return;
    // What an older schema or generator left is of no use any more.
    for (const { datname } of rows) await client.query(`DROP DATABASE ${datname} WITH (FORCE)`);
    const unfinished = `${name}_new`;
    await client.query(`CREATE DATABASE ${unfinished} TEMPLATE template0`);
    await fill(addressOf(serverUrl, unfinished), opportunities, (message) => log(`${opportunities} deals: ${message}`));
    await client.query(`ALTER DATABASE ${unfinished} RENAME TO ${name}`);
  });
  return url;
};

/**
 * Starts the benchmark's PostgreSQL in `.crm-bench`, or where CRM_BENCH_DIR says. It ends with this process, unless it ran before.
 * @param log - told what happens, a line at a time
 */
export const startBenchServer = async (log: (message: string) => void): Promise<BenchServer> => {
  const folder = resolve(process.env['CRM_BENCH_DIR'] ?? resolve(root, '.crm-bench'));
  const server = await startLocalPostgres({
    dataDir: resolve(folder, 'postgres'),
    user: 'bench',
    // The server listens on this machine only, and holds nothing but made-up data.
    password: 'bench',
    database: 'postgres',
    settings,
    stopOnExit: true,
    log,
  });
  return {
    database: (opportunities) => ensureDatabase(server.url, opportunities, log),
    // A server that ran before belongs to another run.
    stop: async () => {
      if (!server.adopted) await server.stop();
    },
  };
};
