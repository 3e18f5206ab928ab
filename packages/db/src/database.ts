import { createHash } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { PrismaClient } from './generated/client.js';
import { measureConnectionWait } from './connection-wait.js';
import { translateDatabaseErrors } from './database-errors.js';
import { traceStatement } from './statement-span.js';

/** How to reach a database. */
export interface DatabaseOptions {
  /** `postgres://…`; with `pgbouncer=true` among its parameters no session setting is sent: give them to the role instead. */
  readonly url: string;
  /** Shown in pg_stat_activity. */
  readonly applicationName: string;
  /** Connections at most, 10 when absent. */
  readonly maxConnections?: number | undefined;
  /** The server ends a statement that takes longer, 5,000 ms when absent; 0 for no limit. */
  readonly statementTimeoutMs?: number | undefined;
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

/** One pool of connections, used by hot SQL and by Prisma alike. */
export interface Database {
  /** For administration; tenant hot paths use {@link Database.query}. */
  readonly prisma: PrismaClient;
  readonly pool: pg.Pool;
  /**
   * Runs a statement for one organization and returns its rows.
   * @throws Error when the statement does not bind the organization, before anything is sent.
   * @throws ApiError `unavailable` when the database is away, overloaded or over its time limits.
   */
  query<Row extends pg.QueryResultRow>(organizationId: string, statement: TenantStatement): Promise<Row[]>;
  /** Succeeds when the database answers. @throws ApiError `unavailable` when it does not. */
  ping(): Promise<void>;
  /** Ends all connections after their current statement. */
  close(): Promise<void>;
}

const lockTimeoutMs = 3_000;
const idleInTransactionTimeoutMs = 10_000;
const poolWaitMs = 2_000;

/** Connection settings that bound every wait; none where a pooler in transaction mode would refuse or leak them. */
const sessionSettings = (options: DatabaseOptions): pg.PoolConfig => {
  if (new URL(options.url).searchParams.get('pgbouncer') === 'true') return {};
  return {
    statement_timeout: options.statementTimeoutMs ?? 5_000,
    lock_timeout: lockTimeoutMs,
    idle_in_transaction_session_timeout: idleInTransactionTimeoutMs,
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

/** Opens a pool; nothing is connected until the first statement. */
export const openDatabase = (options: DatabaseOptions): Database => {
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: poolWaitMs,
    keepAlive: true,
    ...sessionSettings(options),
  });
  // Without a listener a server that goes away would end the process.
  pool.on('error', (error) => options.onConnectionError?.(error));
  if (options.onConnectionWait !== undefined) measureConnectionWait(pool, options.onConnectionWait);
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool) });
  return {
    prisma,
    pool,
    query: async <Row extends pg.QueryResultRow>(organizationId: string, statement: TenantStatement) => {
      assertTenantStatement(organizationId, statement.text);
      const values = [organizationId, ...statement.values];
      return translateDatabaseErrors(async () => {
        const name = statement.isPrepared === true ? statementName(statement.text) : undefined;
        const { text } = statement;
        const result = await traceStatement(text, () => pool.query<Row>({ text, values, name }));
        return result.rows;
      });
    },
    ping: async () => {
      await translateDatabaseErrors(() => pool.query('SELECT 1'));
    },
    close: async () => {
      await prisma.$disconnect();
      await pool.end();
    },
  };
};
