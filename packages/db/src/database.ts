import { ConnectionPool } from './connection/connection-pool.js';
import { isPooled, readAddress, sessionOptions } from './connection/server-address.js';
import { openConnection, type ServerConnection, type Statement } from './connection/server-connection.js';
import { endsConnection, noConnectionInTime, translateDatabaseErrors } from './database-errors.js';
import { jit, parallelWorkers, readPlanMode, sessionLimitsMs } from './session-limits.js';
import { traceStatement } from './statement-span.js';

/** Decides when an organization may use one more connection. */
export interface ConnectionLimit {
  /** @returns a function that gives the connection back, or null if there was none within `waitMs` */
  takeWithin(organizationId: string, waitMs: number): Promise<(() => void) | null>;
}

/** How to reach a database. */
export interface DatabaseOptions {
  /** `postgres://…`. With the parameter `pgbouncer=true`, no session settings are sent, so they must be set on the role. */
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** The maximum number of connections, by default 10. */
  readonly maxConnections?: number | undefined;
  /** The server ends a statement that takes longer than this, by default 5,000 ms. 0 disables the limit here and on the server. */
  readonly statementTimeoutMs?: number | undefined;
  /** The server ends a statement that waits longer than this for a lock, by default 3,000 ms. */
  readonly lockTimeoutMs?: number | undefined;
  /** The server closes a connection whose open transaction is idle for longer than this, by default 10,000 ms. */
  readonly idleInTransactionTimeoutMs?: number | undefined;
  /** Whether plans are reused for all values, as for the pages that a read gateway reads. By default false. */
  readonly isForReads?: boolean | undefined;
  /** Limits the connections that one organization holds. The pool's own queue limits all organizations together. */
  readonly connectionLimit?: ConnectionLimit | undefined;
  /** How long a statement may wait for a connection, by default 2,000 ms. */
  readonly poolWaitMs?: number | undefined;
  /** Called for each connection that breaks while idle. */
  readonly onConnectionError?: ((error: Error) => void) | undefined;
  /** Called with the time that each statement waited for a connection, in milliseconds. */
  readonly onConnectionWait?: ((waitMs: number) => void) | undefined;
}

/** A statement on tenant tables. `$1` is the organization; `values` starts at `$2`. */
export interface TenantStatement extends Statement {
  readonly values: readonly unknown[];
}

/** Runs statements on tenant tables, on any connection of a pool or on a single connection. */
export interface Queries {
  /**
   * Runs a statement for one organization and returns its rows.
   * @throws Error if the statement does not use `$1`, before anything is sent
   * @throws Failure `unavailable` if the database is unreachable or overloaded, `timeout` if the statement took too long
   */
  query<Row extends object = Record<string, unknown>>(
    organizationId: string,
    statement: TenantStatement,
  ): Promise<Row[]>;
}

/** One connection of a pool, valid while the callback that received it runs. */
export interface Connection extends Queries {
  /** Runs a statement that concerns no single organization and returns its only row. */
  queryServer<Row extends object>(text: string, values: readonly unknown[]): Promise<Row>;
}

/** The current connections of a pool. */
export interface PoolState {
  /** Connections that are open or being opened. */
  readonly totalCount: number;
  readonly idleCount: number;
  /** Statements that wait for a connection. */
  readonly waitingCount: number;
  readonly max: number;
}

/** A pool of connections, and everything else that gateways need from a database. */
export interface Database extends Queries {
  readonly url: string;
  readonly connections: PoolState;
  /**
   * Runs an organization's work on one connection, which counts towards the organization's share of the pool.
   * @throws Failure `unavailable` if no connection becomes free in time
   */
  withConnectionOf<T>(organizationId: string, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs work of the process itself, such as a check of the server. Its connection counts towards no organization's share. */
  withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs a statement that concerns no single organization. @throws Failure like {@link Queries.query} */
  queryServer<Row extends object>(statement: Statement): Promise<Row[]>;
  /** Succeeds if the database responds. @throws Failure `unavailable` */
  ping(): Promise<void>;
  /** Opens a connection outside the pool, so a busy pool does not matter, and closes it. @throws Error if it cannot be opened */
  probe(): Promise<void>;
  /** Closes all connections after their current work. */
  close(): Promise<void>;
}

const defaultPoolWaitMs = 2_000;
const defaultMaxConnections = 10;
/** A reachable server ends a statement after `statementTimeoutMs`. If it has not responded this much later, the connection is dead. */
const responseGraceMs = 1_000;
const pingTimeoutMs = 2_000;
const probeTimeoutMs = 1_000;

/** Session settings: time limits, parallel workers, compilation and the isolation level. A pooler in transaction mode gets none of ours. */
export const sessionSettings = (options: DatabaseOptions): Readonly<Record<string, string>> => {
  if (isPooled(options.url)) return sessionOptions(options.url);
  const limits = {
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
  };
  const ours = `-c max_parallel_workers_per_gather=${parallelWorkers} -c jit=${jit}`;
  const settings: Record<string, string> = { ...sessionOptions(options.url, ours) };
  for (const [name, defaultMs] of Object.entries(sessionLimitsMs))
    settings[name] = String(limits[name as keyof typeof limits] ?? defaultMs);
  return settings;
};

/** Guards against statements without the organization, which would read or change the rows of all tenants. */
const assertTenantStatement = (organizationId: string, text: string): void => {
  if (organizationId === '' || !/\$1\b/.test(text))
    throw new Error('A statement on tenant tables must bind the organization as $1');
};

/** How long to wait for a response; 0 for no limit. Without a limit, a caller waits forever if the connection dies unnoticed. */
const responseLimitMs = ({ statementTimeoutMs = sessionLimitsMs.statement_timeout }: DatabaseOptions): number =>
  statementTimeoutMs === 0 ? 0 : statementTimeoutMs + responseGraceMs;

/** Runs work on a connection of the pool. The connection is closed after errors for which {@link endsConnection} is true. */
const withConnection = async <T>(
  pool: ConnectionPool,
  work: (connection: ServerConnection) => Promise<T>,
): Promise<T> => {
  const connection = await pool.acquire();
  let isBroken = false;
  try {
    return await work(connection);
  } catch (error) {
    isBroken = endsConnection(error);
    throw error;
  } finally {
    pool.release(connection, isBroken);
  }
};

const tenantStatement = (organizationId: string, statement: TenantStatement): Statement => {
  assertTenantStatement(organizationId, statement.text);
  return { ...statement, values: [organizationId, ...statement.values] };
};

const runStatement = <Row extends object>(connection: ServerConnection, statement: Statement): Promise<Row[]> =>
  traceStatement(statement.text, () => connection.query<Row>(statement));

const queriesOf = (connection: ServerConnection): Connection => ({
  query: async <Row extends object>(organizationId: string, statement: TenantStatement) => {
    const bound = tenantStatement(organizationId, statement);
    return translateDatabaseErrors(() => runStatement<Row>(connection, bound));
  },
  queryServer: async <Row extends object>(text: string, values: readonly unknown[]) =>
    translateDatabaseErrors(async () => {
      const [row] = await connection.query<Row>({ text, values });
      if (row === undefined) throw new Error('The statement returned no row');
      return row;
    }),
});

/** Opens a pool. It connects at the first statement. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const max = options.maxConnections ?? defaultMaxConnections;
  const waitMs = options.poolWaitMs ?? defaultPoolWaitMs;
  const connectionOptions = {
    address: readAddress(options.url),
    settings: { application_name: options.applicationName, ...sessionSettings(options) },
    openWithinMs: waitMs,
    responseLimitMs: responseLimitMs(options),
    firstStatement:
      options.isForReads === true && !isPooled(options.url)
        ? `SELECT set_config('plan_cache_mode', ${readPlanMode}, false)`
        : 'SELECT 1',
  };
  const { onConnectionError, onConnectionWait } = options;
  const pool = new ConnectionPool({ ...connectionOptions, max, waitMs, onConnectionError, onConnectionWait });
  const withConnectionOf = async <T>(
    organizationId: string,
    work: (connection: ServerConnection) => Promise<T>,
  ): Promise<T> => {
    if (options.connectionLimit === undefined) return withConnection(pool, work);
    const giveBack = await options.connectionLimit.takeWithin(organizationId, waitMs);
    if (giveBack === null) throw noConnectionInTime();
    return withConnection(pool, work).finally(giveBack);
  };
  return {
    url: options.url,
    connections: pool,
    query: async <Row extends object>(organizationId: string, statement: TenantStatement) => {
      const bound = tenantStatement(organizationId, statement);
      return translateDatabaseErrors(() =>
        withConnectionOf(organizationId, (connection) => runStatement<Row>(connection, bound)),
      );
    },
    withConnectionOf: (organizationId, work) =>
      translateDatabaseErrors(() => withConnectionOf(organizationId, (connection) => work(queriesOf(connection)))),
    withConnection: (work) =>
      translateDatabaseErrors(() => withConnection(pool, (connection) => work(queriesOf(connection)))),
    queryServer: <Row extends object>(statement: Statement) =>
      translateDatabaseErrors(() => withConnection(pool, (connection) => connection.query<Row>(statement))),
    ping: async () => {
      const statement = { text: 'SELECT 1' };
      await translateDatabaseErrors(() =>
        withConnection(pool, (connection) => connection.query(statement, pingTimeoutMs)),
      );
    },
    probe: async () => {
      const connection = await openConnection({ ...connectionOptions, openWithinMs: probeTimeoutMs });
      connection.destroy();
    },
    close: () => pool.close(),
  };
};
