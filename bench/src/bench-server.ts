import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { migrate, readMigrations } from '@crm/db';
import { startLocalPostgres } from '@crm/local-postgres';
import pg from 'pg';
import { createDataset, datasetVersion } from './dataset.js';

const root = fileURLToPath(new URL('../../', import.meta.url));

/** Where the benchmark keeps what it makes: `.crm-bench`, or what CRM_BENCH_DIR says. */
export const benchFolder = resolve(process.env['CRM_BENCH_DIR'] ?? resolve(root, '.crm-bench'));

/**
 * Nothing may disturb a measurement: without replicas the server writes no log of its own accord, which would count
 * as that of calls.
 */
const steady = {
  autovacuum: 'off',
  shared_buffers: '1GB',
  max_wal_size: '2GB',
  wal_level: 'minimal',
  max_wal_senders: '0',
};

/** For making data and counting pages, where nothing must survive a power failure. */
const unsafe = { ...steady, fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };

/** As users run it: what was committed is on disk. */
const durable = { ...steady, fsync: 'on', synchronous_commit: 'on', full_page_writes: 'on' };

/** Any number will do, as long as every run takes the same. */
const buildLock = 7_120_934;

/** A PostgreSQL that keeps its data from one run to the next. */
export interface BenchServer {
  /** The address of a database with so many deals, which is made at the first call. */
  database(opportunities: number): Promise<string>;
  /** The address of a copy to write to, in place of the one before it. */
  copy(url: string): Promise<string>;
  /** Removes a copy, with whatever is still connected to it. */
  dropCopy(url: string): Promise<void>;
  stop(): Promise<void>;
}

/** Data that were kept are good as long as the schema and the generator are the same. */
const fingerprint = async (): Promise<string> => {
  const hash = createHash('sha256');
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

/** What the comment on a kept database says: of which generator and which migrations it is. */
const stateOf = async (client: pg.Client, database: string): Promise<string | null> => {
  const { rows } = await client.query<{ state: string | null }>(
    `SELECT coalesce(shobj_description(oid, 'pg_database'), '') AS state FROM pg_database WHERE datname = $1`,
    [database],
  );
  return rows[0]?.state ?? null;
};

/** Makes a database under another name first, so that half of one is never taken for it. */
const ensureDatabase = async (serverUrl: string, opportunities: number, log: Log): Promise<string> => {
  const name = `bench_${opportunities}`;
  const state = `generator ${datasetVersion}, migrations ${await fingerprint()}`;
  await withClient(serverUrl, async (client) => {
    // Another run would take what this one is making for a leftover; the lock goes with the connection.
    await client.query('SELECT pg_advisory_lock($1)', [buildLock]);
    const found = await stateOf(client, name);
    if (found === state) {
      // Installs the write functions when they have changed.
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

/** Copies a database, file by file. It must have no connections meanwhile. */
const copyDatabase = async (serverUrl: string, url: string): Promise<string> => {
  const name = new URL(url).pathname.slice(1);
  const copy = `${name}_copy`;
  await withClient(serverUrl, async (client) => {
    await client.query(`DROP DATABASE IF EXISTS ${copy} WITH (FORCE)`);
    await client.query(`CREATE DATABASE ${copy} TEMPLATE ${name} STRATEGY file_copy`);
  });
  return addressOf(serverUrl, copy);
};

/** How to start the server. */
export interface BenchServerOptions {
  /** Whether commits are on disk before they are answered, as in production. Making data is quicker without. */
  readonly isDurable: boolean;
  /** Receives progress messages, one line each. */
  readonly log: Log;
}

/**
 * Starts the benchmark's PostgreSQL in {@link benchFolder}. It ends with this process, unless it ran before.
 * @throws Error when one runs there that is not as durable as was asked for
 */
export const startBenchServer = async ({ isDurable, log }: BenchServerOptions): Promise<BenchServer> => {
  const server = await startLocalPostgres({
    dataDir: resolve(benchFolder, 'postgres'),
    user: 'bench',
    // The server listens on this machine only, and holds nothing but made-up data.
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
    throw new Error(`Another run uses the server in ${benchFolder}, with fsync off`);
  return {
    database: (opportunities) => ensureDatabase(server.url, opportunities, log),
    copy: (url) => copyDatabase(server.url, url),
    dropCopy: (url) =>
      withClient(server.url, async (client) => {
        await client.query(`DROP DATABASE ${new URL(url).pathname.slice(1)} WITH (FORCE)`);
      }),
    // A server that ran before belongs to another run.
    stop: async () => {
      if (!server.adopted) await server.stop();
    },
  };
};
