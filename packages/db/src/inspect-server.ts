import type { Database } from './database.js';
import { writeColumns, type WriteFacts } from './start-up/read-facts.js';

/** Properties of a server that an operator should check before gateways use it. */
export interface ServerFacts extends WriteFacts {
  /** `server_version_num`, such as `180004`. */
  readonly versionNumber: number;
  readonly encoding: string;
  readonly isSuperuser: boolean;
  /** Values of `fsync`, `synchronous_commit`, `full_page_writes`. */
  readonly durability: Readonly<Record<string, string>>;
  /** The number of connections that this role can open: the lowest limit of the server, the database and the role. */
  readonly connectionLimit: number;
  readonly extensions: readonly string[];
  /** The server's clock at the time of the response, in Unix milliseconds. */
  readonly clockMs: number;
  /** The replay lag of a replica in milliseconds. 0 if it has replayed all WAL that it received, null on a primary. */
  readonly replayLagMs: number | null;
}

const factsSql = `
  SELECT current_setting('server_version_num')::int AS "versionNumber",
         pg_encoding_to_char(d.encoding) AS encoding,
         r.rolsuper AS "isSuperuser",
         ${writeColumns},
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

/** Reads properties of a server. Every role has the rights to do so. */
export const inspectServer = (database: Database): Promise<ServerFacts> =>
  database.withConnection((connection) => connection.queryServer(factsSql, []));
