import { parse } from 'pg-connection-string';
import type { ConnectionOptions } from 'node:tls';

/** Where a server is and how to log in, as a URL says. */
export interface ServerAddress {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** Null for a connection without TLS. */
  readonly tls: ConnectionOptions | null;
  /** Whether TLS starts without asking the server for it first, which PostgreSQL 17 and later take. */
  readonly isTlsDirect: boolean;
  /** Empty for the driver's default: `PGUSER` or the name of the process's user. */
  readonly user: string;
  readonly password: string;
  /** Empty for the database that is named after the user. */
  readonly database: string;
  /** Settings of the session from the URL's parameters. */
  readonly settings: Readonly<Record<string, string>>;
}

const defaultPort = 5432;

/** Parameters of a URL that the server takes at start-up; others mean something to the client, or nothing. */
const settingNames = [
  'application_name',
  'options',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
] as const;

const tlsOptions = (ssl: unknown): ConnectionOptions | null => {
  if (typeof ssl === 'object' && ssl !== null) return { ...ssl };
  return ssl === true || ssl === 'true' ? {} : null;
};

/** What `PGSSLMODE` asks for where the URL says nothing. */
const defaultTls = (mode: string | undefined): ConnectionOptions | null => {
  if (mode === undefined || mode === '' || mode === 'disable') return null;
  return mode === 'no-verify' ? { rejectUnauthorized: false } : {};
};

/**
 * Reads `postgres://user:password@host:port/database?sslmode=verify-full`. `sslmode` and the files of certificates mean what they
 * mean to `pg`, which administration uses.
 * @throws Error for an address that is no URL, or a certificate file that cannot be read
 */
export const readAddress = (url: string): ServerAddress => {
  const { host, port, ssl, sslnegotiation, user, password, database, ...others } = parse(url);
  const settings: Record<string, string> = {};
  for (const name of settingNames) {
    const value = others[name];
    if (typeof value === 'string' && value !== '') settings[name] = value;
  }
  return {
    host: host || process.env['PGHOST'] || 'localhost',
    port: Number(port || process.env['PGPORT'] || defaultPort),
    tls: ssl === undefined ? defaultTls(process.env['PGSSLMODE']) : tlsOptions(ssl),
    isTlsDirect: sslnegotiation === 'direct',
    user: user ?? '',
    password: password ?? '',
    database: database ?? '',
    settings,
  };
};
