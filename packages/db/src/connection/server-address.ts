import { parse } from 'pg-connection-string';
import type { ConnectionOptions } from 'node:tls';

/** The address of a server and how to log in, parsed from a URL. */
export interface ServerAddress {
  /** A host name, an IP address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /** Null for a connection without TLS. */
  readonly tls: ConnectionOptions | null;
  /** Whether TLS starts without an SSLRequest, which PostgreSQL 17 and later support. */
  readonly isTlsDirect: boolean;
  /** Empty for the driver's default: `PGUSER` or the operating system user. */
  readonly user: string;
  readonly password: string;
  /** Empty for the database with the name of the user. */
  readonly database: string;
  /** Session settings from the parameters of the URL. */
  readonly settings: Readonly<Record<string, string>>;
}

const defaultPort = 5432;

/** Parameters of a URL that are sent to the server as session settings. All others are for the client or are ignored. */
const settingNames = [
  'application_name',
  'options',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
] as const;

/** Whether the URL leads to a pooler in transaction mode, which would reject or leak session settings. */
export const isPooled = (url: string): boolean => new URL(url).searchParams.get('pgbouncer') === 'true';

const tlsOptions = (ssl: unknown): ConnectionOptions | null => {
  if (typeof ssl === 'object' && ssl !== null) return { ...ssl };
  return ssl === true || ssl === 'true' ? {} : null;
};

/** The TLS options for `PGSSLMODE`, which applies if the URL has no `sslmode`. */
const defaultTls = (mode: string | undefined): ConnectionOptions | null => {
  if (mode === undefined || mode === '' || mode === 'disable') return null;
  return mode === 'no-verify' ? { rejectUnauthorized: false } : {};
};

/**
 * Parses `postgres://user:password@host:port/database?sslmode=verify-full`. `sslmode` and the certificate files have the same meaning as
 * in `pg`, which administration uses.
 * @throws Error if the URL is invalid or a certificate file cannot be read
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
