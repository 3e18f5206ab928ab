import { OrganizationShares, shareOf, TimeShares } from '@crm/domain';
import { ConnectionPool } from './connection/connection-pool.js';
import { readAddress } from './connection/server-address.js';
import { openConnection, type ServerConnection, type Statement } from './connection/server-connection.js';
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
  /** Called for each connection that breaks while idle. Without it they are dropped silently. */
  readonly onConnectionError?: ((error: Error) => void) | undefined;
  /** Called with the time that each statement waited for a connection, in milliseconds. */
  readonly onConnectionWait?: ((waitMs: number) => void) | undefined;
}

/** A statement on tenant tables: `$1` is the organization, the values are those from `$2`. */
export interface TenantStatement extends Statement {
  readonly values: readonly unknown[];
}

/** What statements on tenant tables go to: a pool, or one connection of it. */
export interface Queries {
  /**
   * Runs a statement for one organization and returns its rows.
   * @throws Error when the statement does not bind the organization, before anything is sent.
   * @throws Failure `unavailable` if the database is away or overloaded, `timeout` if the statement took too long.
   */
  query<Row extends object = Record<string, unknown>>(
    organizationId: string,
    statement: TenantStatement,
  ): Promise<Row[]>;
}

/** One connection of a pool, for as long as the work with it lasts. */
export interface Connection extends Queries {
  /** Runs a statement on no tenant table and returns its one row. */
  queryServer<Row extends object>(text: string, values: readonly unknown[]): Promise<Row>;
}

/** How many connections a pool has now. */
export interface PoolState {
  /** Open connections, and those that are being opened. */
  readonly totalCount: number;
  readonly idleCount: number;
  /** Statements that wait for a connection. */
  readonly waitingCount: number;
  readonly max: number;
}

/** One pool of connections: all that gateways do in a database. */
export interface Database extends Queries {
  readonly url: string;
  /** How many connections there are. */
  readonly connections: PoolState;
  /**
   * Runs an organization's work whose statements all go to one connection, one of those that the organization may have.
   * @throws Failure `unavailable` when there is none in time.
   */
  withConnectionOf<T>(organizationId: string, work: (connection: Connection) => Promise<T>): Promise<T>;
  /** The same for the process itself, as when it checks the server: no organization's share bounds it. */
  withConnection<T>(work: (connection: Connection) => Promise<T>): Promise<T>;
  /** Runs a statement on no tenant table. @throws Failure `unavailable` as {@link Queries.query} */
  queryServer<Row extends object>(statement: Statement): Promise<Row[]>;
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

/** Settings of sessions that bound every wait; none where a pooler in transaction mode would refuse or leak them. */
export const sessionSettings = (options: DatabaseOptions): Readonly<Record<string, string>> => {
  if (new URL(options.url).searchParams.get('pgbouncer') === 'true') return {};
  const limits = {
    statement_timeout: options.statementTimeoutMs,
    lock_timeout: options.lockTimeoutMs,
    idle_in_transaction_session_timeout: options.idleInTransactionTimeoutMs,
  };
  const settings: Record<string, string> = { options: `-c max_parallel_workers_per_gather=${parallelWorkers}` };
  for (const [name, defaultMs] of Object.entries(sessionLimitsMs))
    settings[name] = String(limits[name as keyof typeof limits] ?? defaultMs);
  return settings;
};

/** A statement without the organization would read or change every tenant's rows. */
const assertTenantStatement = (organizationId: string, text: string): void => {
  if (organizationId === '' || !/\$1\b/.test(text))
    throw new Error('A statement on tenant tables must bind the organization as $1');
};

/** How long this side waits for an answer; 0 for no limit. Without one a connection that died unnoticed holds its caller for ever. */
const answerLimitMs = ({ statementTimeoutMs = sessionLimitsMs.statement_timeout }: DatabaseOptions): number =>
  statementTimeoutMs === 0 ? 0 : statementTimeoutMs + silenceMs;

/** Runs work on a connection of the pool. After an error that only says that a write was refused, the connection is kept. */
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
      if (row === undefined) throw new Error('The server answered no row');
      return row;
    }),
});

/** Opens a pool; nothing is connected until the first statement. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const max = options.maxConnections ?? defaultMaxConnections;
  const waitMs = options.poolWaitMs ?? defaultPoolWaitMs;
  const connectionOptions = {
    address: readAddress(options.url),
    settings: { application_name: options.applicationName, ...sessionSettings(options) },
    openWithinMs: waitMs,
    answerWithinMs: answerLimitMs(options),
  };
  const { onConnectionError, onConnectionWait } = options;
  const pool = new ConnectionPool({ ...connectionOptions, max, waitMs, onConnectionError, onConnectionWait });
  // Beyond what there is in all, organizations wait in the pool's own queue.
  const share = shareOf(max);
  const shares =
    options.boundsTime === true
      ? new TimeShares({ share, lasting: Math.max(1, max - share) })
      : new OrganizationShares({ share });
  const withConnectionOf = async <T>(
    organizationId: string,
    work: (connection: ServerConnection) => Promise<T>,
  ): Promise<T> => {
    const giveBack = await shares.takeWithin(organizationId, waitMs);
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
