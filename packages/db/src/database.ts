import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { OrganizationShares, shareOf, TimeShares } from '@crm/domain';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';
import { ConnectionSource } from './connection-source.js';
import { RecordClient } from './record-client.js';
import { endsConnection, noConnectionInTime, translateDatabaseErrors } from './database-errors.js';
import { parallelWorkers, sessionLimitsMs } from './session-limits.js';
import { traceStatement } from './statement-span.js';

/** How to reach a database. */
export interface DatabaseOptions {
  /** `postgres://…`; with `pgbouncer=true` among its parameters no session setting is sent: give them to the role instead. */
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Connections at most, 10 when absent. */
  readonly maxConnections?: number | undefined;
  /** The server ends a statement that takes longer, 5,000 ms when absent; 0 for no limit, on either side. */
  readonly statementTimeoutMs?: number | undefined;
  /** The server ends a statement that waits longer for a lock, 3,000 ms when absent. */
  readonly lockTimeoutMs?: number | undefined;
  /** The server ends a connection in whose transaction nothing happens for longer, 10,000 ms when absent. */
  readonly idleInTransactionTimeoutMs?: number | undefined;
  /**
   * Whether an organization that keeps many connections busy for long has only a fifth of them while others call, instead of four
   * fifths; false when absent.
   */
  readonly boundsTime?: boolean | undefined;
  /** How long a statement may wait for a connection, 2,000 ms when absent. */
  readonly poolWaitMs?: number | undefined;
  /** Told of connections that break while idle; without it they are only dropped. */
  readonly onConnectionError?: ((error: Error) => void) | undefined;
  /** Told how long each statement waited for a connection, in milliseconds. */
  readonly onConnectionWait?: ((waitMs: number) => void) | undefined;
}

/** A statement on tenant tables. Its first bind parameter is always the organization. */
export interface TenantStatement {
  /** SQL in which `$1` is the organization; further parameters from `$2`. */
  readonly text: string;
  readonly values: readonly unknown[];
  /** Whether connections keep it prepared; only for texts of which there are few. */
  readonly isPrepared?: boolean | undefined;
}

/** What statements on tenant tables go to: a pool, or one connection of it. */
export interface Queries {
  /**
   * Runs a statement for one organization and returns its rows.
   * @throws Error when the statement does not bind the organization, before anything is sent.
   * @throws Failure `unavailable` if the database is away or overloaded, `timeout` if the statement took too long.
   */
  query<Row extends pg.QueryResultRow>(organizationId: string, statement: TenantStatement): Promise<Row[]>;
}

/** One connection of a pool, for as long as the work with it lasts. */
export interface Connection extends Queries {
  /** Runs a statement on no tenant table and returns its one row. */
  queryServer<Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]): Promise<Row>;
}

/** One pool of connections, used by hot SQL and by Prisma alike. */
export interface Database extends Queries {
  /** For administration; tenant hot paths use {@link Queries.query}. */
  readonly prisma: PrismaClient;
  readonly pool: pg.Pool;
  /**
   * Runs an organization's work whose statements all go to one connection, one of those that the organization may have.
   * @throws Failure `unavailable` when there is none in time.
   */
  withConnectionOf<T>(organizationId: string, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** The same for the process itself, as when it checks the server: no organization's share bounds it. */
  withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs a statement on no tenant table. @throws Failure `unavailable` as {@link Queries.query} */
  queryServer<Row extends pg.QueryResultRow>(statement: pg.QueryConfig): Promise<Row[]>;
  /** Succeeds when the database answers. @throws Failure `unavailable` when it does not. */
  ping(): Promise<void>;
  /** Succeeds when the server answers on a connection of its own, however busy the pool is. @throws Error when it does not. */
  probe(): Promise<void>;
  /** Ends all connections after their current statement. */
  close(): Promise<void>;
}

const defaultPoolWaitMs = 2_000;
const defaultMaxConnections = 10;
/** A server that is there ends a statement in time; one that does not answer by then, nor after this, is gone. */
const silenceMs = 1_000;
const pingTimeoutMs = 2_000;
const probeTimeoutMs = 1_000;

/** Connection settings that bound every wait; none where a pooler in transaction mode would refuse or leak them. */
const sessionSettings = (options: DatabaseOptions): pg.PoolConfig => {
  if (new URL(options.url).searchParams.get('pgbouncer') === 'true') return {};
  return {
    statement_timeout: options.statementTimeoutMs ?? sessionLimitsMs.statement_timeout,
    lock_timeout: options.lockTimeoutMs ?? sessionLimitsMs.lock_timeout,
    idle_in_transaction_session_timeout:
      options.idleInTransactionTimeoutMs ?? sessionLimitsMs.idle_in_transaction_session_timeout,
    options: `-c max_parallel_workers_per_gather=${parallelWorkers}`,
  };
};

/** A statement without the organization would read or change every tenant's rows. */
const assertTenantStatement = (organizationId: string, text: string): void => {
  if (organizationId === '' || !/\$1\b/.test(text))
    throw new Error('A statement on tenant tables must bind the organization as $1');
};

const statementNames = new Map<string, string>();

/** Prepared statements go by a digest of their text: the server keeps no more than 63 characters of a name. */
const statementName = (text: string): string => {
  let name = statementNames.get(text);
  if (name === undefined) {
    name = createHash('sha256').update(text).digest('base64url');
    statementNames.set(text, name);
  }
  return name;
};

/** How long this side waits for the answer to a statement. Without a limit a connection that died unnoticed holds its caller for ever. */
const answerTimeout = ({ statementTimeoutMs = sessionLimitsMs.statement_timeout }: DatabaseOptions): pg.PoolConfig =>
  statementTimeoutMs === 0 ? {} : { query_timeout: statementTimeoutMs + silenceMs };

/**
 * Runs work on a connection of the pool. The pool's own `query` ends the connection after every error, also after one that
 * only says that a write was refused: callers who are refused much would spend the server's time on logging in.
 */
const withClient = async <T>(
  connections: ConnectionSource,
  work: (client: pg.PoolClient) => Promise<T>,
): Promise<T> => {
  const client = await connections.connect();
  let isBroken = false;
  // Without a listener a connection that breaks while it is in use would end the process.
  const onError = (): void => {
    isBroken = true;
  };
  client.on('error', onError);
  try {
    return await work(client);
  } catch (error) {
    if (endsConnection(error)) isBroken = true;
    throw error;
  } finally {
    client.off('error', onError);
    client.release(isBroken);
  }
};

const tenantStatement = (
  organizationId: string,
  { text, values, isPrepared }: TenantStatement,
): pg.QueryConfig & { text: string } => {
  assertTenantStatement(organizationId, text);
  const name = isPrepared === true ? statementName(text) : undefined;
  return { text, values: [organizationId, ...values], ...(name === undefined ? {} : { name }) };
};

const runStatement = <Row extends pg.QueryResultRow>(
  client: pg.PoolClient,
  config: pg.QueryConfig & { text: string },
): Promise<Row[]> => traceStatement(config.text, async () => (await client.query<Row>(config)).rows);

const connectionOf = (client: pg.PoolClient): Connection => ({
  query: async <Row extends pg.QueryResultRow>(organizationId: string, statement: TenantStatement) => {
    const config = tenantStatement(organizationId, statement);
    return translateDatabaseErrors(() => runStatement<Row>(client, config));
  },
  queryServer: async <Row extends pg.QueryResultRow>(text: string, values: readonly unknown[]) =>
    translateDatabaseErrors(async () => {
      const [row] = (await client.query<Row>(text, [...values])).rows;
      if (row === undefined) throw new Error('The server answered no row');
      return row;
    }),
});

const probe = async ({ url, applicationName }: DatabaseOptions): Promise<void> => {
  const client = new pg.Client({
    connectionString: url,
    application_name: applicationName,
    connectionTimeoutMillis: probeTimeoutMs,
    query_timeout: probeTimeoutMs,
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
  } finally {
    // A server that does not answer does not say goodbye either.
    client.end().catch(() => undefined);
  }
};

/** Opens a pool; nothing is connected until the first statement. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const maxConnections = options.maxConnections ?? defaultMaxConnections;
  const poolWaitMs = options.poolWaitMs ?? defaultPoolWaitMs;
  // Beyond what there is in all, organizations wait in the pool's own queue.
  const share = shareOf(maxConnections);
  const shares =
    options.boundsTime === true
      ? new TimeShares({ share, lasting: Math.max(1, maxConnections - share) })
      : new OrganizationShares({ share });
  const pool = new pg.Pool({
    Client: RecordClient,
    connectionString: options.url,
    application_name: options.applicationName,
    max: maxConnections,
    // One stays open however long nobody calls: logging in takes longer than most requests.
    min: 1,
    connectionTimeoutMillis: poolWaitMs,
    keepAlive: true,
    ...answerTimeout(options),
    ...sessionSettings(options),
  });
  // Without a listener a server that goes away would end the process.
  pool.on('error', (error) => options.onConnectionError?.(error));
  const connections = new ConnectionSource(pool, poolWaitMs, options.onConnectionWait);
  const withClientOf = async <T>(organizationId: string, work: (client: pg.PoolClient) => Promise<T>): Promise<T> => {
    const giveBack = await shares.takeWithin(organizationId, poolWaitMs);
    if (giveBack === null) throw noConnectionInTime();
    return withClient(connections, work).finally(giveBack);
  };
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    prisma,
    pool,
    query: async <Row extends pg.QueryResultRow>(organizationId: string, statement: TenantStatement) => {
      const config = tenantStatement(organizationId, statement);
      return translateDatabaseErrors(() => withClientOf(organizationId, (client) => runStatement<Row>(client, config)));
    },
    withConnectionOf: (organizationId, work) =>
      translateDatabaseErrors(() => withClientOf(organizationId, (client) => work(connectionOf(client)))),
    withConnection: (work) =>
      translateDatabaseErrors(() => withClient(connections, (client) => work(connectionOf(client)))),
    queryServer: <Row extends pg.QueryResultRow>(statement: pg.QueryConfig) =>
      translateDatabaseErrors(() =>
        withClient(connections, async (client) => (await client.query<Row>(statement)).rows),
      ),
    ping: async () => {
      const statement = { text: 'SELECT 1', query_timeout: pingTimeoutMs };
      await translateDatabaseErrors(() => withClient(connections, (client) => client.query(statement)));
    },
    probe: () => probe(options),
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
};
