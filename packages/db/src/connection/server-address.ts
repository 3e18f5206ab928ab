import { parse } from 'pg-connection-string';
import type { ConnectionOptions } from 'node:tls';
import { isolationLevel } from '../session-limits.js';

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
  /** Session settings from the parameters of the URL, except for `options`. */
  readonly settings: Readonly<Record<string, string>>;
  /** The parameter `options`, such as `-c search_path=crm`; empty if there is none. */
  readonly options: string;
}

const defaultPort = 5432;

/** Parameters of a URL that are sent to the server as session settings. All others are for the client or are ignored. */
const settingNames = [
  'application_name',
  'statement_timeout',
  'lock_timeout',
  'idle_in_transaction_session_timeout',
] as const;

/** Modes that check certificates as `verify-full` does. Under that name, the library prints no warning about them. */
const checkingModes = ['prefer', 'require', 'verify-ca'];

const toUrl = (url: string): URL => {
  const parsed = new URL(url);
  const { searchParams } = parsed;
  const hasMeaningOfLibpq = searchParams.get('uselibpqcompat') === 'true';
  if (!hasMeaningOfLibpq && checkingModes.includes(searchParams.get('sslmode') ?? ''))
    searchParams.set('sslmode', 'verify-full');
  return parsed;
};

/** A URL for a client of `pg`, without `options`: those of the URL would replace all others. */
export const clientUrl = (url: string): string => {
  const parsed = toUrl(url);
  parsed.searchParams.delete('options');
  return parsed.href;
};

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
  const { host, port, ssl, sslnegotiation, user, password, database, options, ...others } = parse(toUrl(url).href);
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
    options: options ?? '',
  };
};

/**
 * The parameter `options` of a session. The server applies its parts in order: ours, those of the URL, and then our isolation level, which a
 * URL cannot change. A pooler in transaction mode gets only those of the URL.
 */
export const sessionOptions = (url: string, ours = ''): Readonly<Record<string, string>> => {
  const { options } = readAddress(url);
  const level = `-c default_transaction_isolation=${isolationLevel.replace(' ', '\\ ')}`;
  if (!isPooled(url)) return { options: `${ours} ${options} ${level}`.trim() };
  return options === '' ? {} : { options };
};
