import type { Database } from './database.js';

/** What an operator should know of a server before gateways rely on it. */
export interface ServerFacts {
  /** As `180004`. */
  readonly versionNumber: number;
  readonly encoding: string;
  readonly isSuperuser: boolean;
  readonly isInRecovery: boolean;
  /** Values of `fsync`, `synchronous_commit`, `full_page_writes`. */
  readonly durability: Readonly<Record<string, string>>;
  /** Connections that roles like this one may open: the least of the server's, the database's and the role's limit. */
  readonly connectionLimit: number;
  readonly extensions: readonly string[];
  /** The server's clock when it answered, in Unix milliseconds. */
  readonly clockMs: number;
  /** How far a replica is behind, in milliseconds; 0 when it has replayed all that it has, null on a primary. */
  readonly replayLagMs: number | null;
}

const factsSql = `
  SELECT current_setting('server_version_num')::int AS "versionNumber",
         pg_encoding_to_char(d.encoding) AS encoding,
         r.rolsuper AS "isSuperuser",
         pg_is_in_recovery() AS "isInRecovery",
         (SELECT jsonb_object_agg(name, setting) FROM pg_settings
           WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes')) AS durability,
         least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
               nullif(d.datconnlimit, -1), nullif(r.rolconnlimit, -1)) AS "connectionLimit",
         ARRAY(SELECT extname::text FROM pg_extension) AS extensions,
         extract(epoch FROM clock_timestamp())::float8 * 1000 AS "clockMs",
         CASE WHEN NOT pg_is_in_recovery() THEN NULL
              WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn() THEN 0
              ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8 * 1000
          END AS "replayLagMs"
    FROM pg_database d, pg_roles r
   WHERE d.datname = current_database() AND r.rolname = current_user`;

/** Asks a server about itself, with rights that every role has. */
export const inspectServer = (database: Database): Promise<ServerFacts> =>
  database.withConnection((connection) => connection.queryServer(factsSql, []));
