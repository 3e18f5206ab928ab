import { isPooled } from '../connection/server-address.js';
import type { Connection, Database } from '../database.js';
import { type GatewayKind, rightsOf } from '../roles/rights.js';
import {
  emptyHistory,
  type QueryRow,
  readSchemaHistory,
  type SchemaHistory,
} from '../schema-history/schema-history.js';
import { sessionLimitsMs } from '../session-limits.js';
import { losesPreparedStatements } from './inspect-pooler.js';

/** The properties of a session that a pooler may break. */
export interface SessionFacts {
  readonly role: string;
  /** The names of time limits that are not set in this session. */
  readonly missingLimits: readonly string[];
  /** The isolation level of a transaction that names none, such as `read committed`. */
  readonly isolation: string;
  /** Whether a pooler makes prepared statements fail. */
  readonly losesPreparedStatements: boolean;
}

/** Whether a server takes writes. */
export interface WriteFacts {
  /** Whether the server is a standby. */
  readonly isInRecovery: boolean;
  /** Whether transactions may not write, which is true of every standby too. */
  readonly isReadOnly: boolean;
}

/** The properties of a server that a gateway checks before it serves. */
export interface StartUpFacts extends SchemaHistory, SessionFacts, WriteFacts {
  /** `server_version_num`, such as `150004` for 15.4. */
  readonly versionNumber: number;
  readonly version: string;
  /** The encoding of the database, such as `UTF8`. */
  readonly encoding: string;
  readonly fsync: string;
  /** The value for the gateway's role. */
  readonly synchronousCommit: string;
  readonly isSuperuser: boolean;
  /** Whether the database has the extension Citus. */
  readonly isDistributed: boolean;
  /** Rights that the role lacks, such as `SELECT on accounts`. */
  readonly missingRights: readonly string[];
}

type Settings = Pick<
  StartUpFacts,
  | 'versionNumber'
  | 'version'
  | 'encoding'
  | 'fsync'
  | 'synchronousCommit'
  | 'isSuperuser'
  | 'isDistributed'
  | 'isInRecovery'
  | 'isReadOnly'
>;

/** The columns of {@link WriteFacts}. */
export const writeColumns = `pg_is_in_recovery() AS "isInRecovery", current_setting('transaction_read_only') = 'on' AS "isReadOnly"`;

const settingsSql = `
  SELECT current_setting('server_version_num')::int AS "versionNumber", current_setting('server_version') AS version,
         current_setting('server_encoding') AS encoding,
         current_setting('fsync') AS fsync, current_setting('synchronous_commit') AS "synchronousCommit",
         current_setting('is_superuser') = 'on' AS "isSuperuser", ${writeColumns},
         EXISTS (SELECT FROM pg_extension WHERE extname = 'citus') AS "isDistributed"`;

const limitsSql = `
  SELECT current_user::text AS role, current_setting('transaction_isolation') AS isolation,
         ARRAY(SELECT name FROM pg_settings WHERE name IN (${Object.keys(sessionLimitsMs)
           .map((name) => `'${name}'`)
           .join(', ')}) AND setting = '0' ORDER BY name) AS "missingLimits"`;

/** The missing rights of the role. Tables that do not exist yet are not reported. */
const rightsSql = `
  SELECT coalesce(array_agg(privilege || ' on ' || table_name ORDER BY table_name, privilege), '{}') AS "missingRights"
    FROM unnest($1::text[], $2::text[], $3::text[]) AS needed (table_name, privilege, column_name)
   WHERE NOT CASE WHEN column_name IS NULL THEN has_table_privilege(to_regclass(table_name), privilege)
                  ELSE has_column_privilege(to_regclass(table_name), column_name, privilege) END`;

const readMissingRights = async (connection: Connection, gateway: GatewayKind): Promise<readonly string[]> => {
  const rights = rightsOf(gateway);
  const values = [
    rights.map(({ table }) => table),
    rights.map(({ privilege }) => privilege),
    rights.map(({ column }) => column ?? null),
  ];
  return (await connection.queryServer<{ missingRights: string[] }>(rightsSql, values)).missingRights;
};

/** Reads the time limits of a session, and whether a pooler loses prepared statements. */
export const readSessionFacts = async (database: Database): Promise<SessionFacts> => ({
  ...(await database.withConnection((connection) =>
    connection.queryServer<Omit<SessionFacts, 'losesPreparedStatements'>>(limitsSql, []),
  )),
  losesPreparedStatements: isPooled(database.url) && (await losesPreparedStatements(database.url)),
});

/** Reads the {@link StartUpFacts} of a server. It does not use Prisma, because Prisma's first query takes 60 MB of memory. */
export const readFacts = async (database: Database, gateway: GatewayKind): Promise<StartUpFacts> => {
  const session = await readSessionFacts(database);
  return database.withConnection(async (connection) => {
    const queryRow: QueryRow = (text) => connection.queryServer(text, []);
    const missingRights = await readMissingRights(connection, gateway);
    const history = missingRights.length > 0 ? emptyHistory : await readSchemaHistory(queryRow);
    return { ...session, ...(await queryRow<Settings>(settingsSql)), ...history, missingRights };
  });
};
