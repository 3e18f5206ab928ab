import { toUrl } from './to-url.js';

const oneHost =
  'a process connects to one: give an address that always leads to the primary, such as that of HAProxy, PgBouncer or the tool that ' +
  'switches servers (docs/operating.md, Failover)';

/** What stands between `://` and the path, without user and password: `a:5432,b:5432`. */
const hostsOf = (text: string): string => /^[a-z]+:\/\/(?:[^/?#]*@)?([^/?#]*)/i.exec(text)?.[1] ?? '';

/**
 * Why a text is not an address of PostgreSQL that our programs can use; null if it is one. They connect to one server. With several
 * hosts, they would look up a name such as `a,b`, and connect to any server whatever `target_session_attrs` says.
 */
export const databaseUrlProblem = (text: string): string | null => {
  const isPostgres = /^postgres(ql)?:\/\//i.test(text);
  if (isPostgres && hostsOf(text).includes(',')) return `has several hosts, and ${oneHost}`;
  const url = isPostgres ? toUrl(text) : null;
  if (url === null) return 'must be a URL of the form postgres://user:password@host:5432/name';
  const parameter = (name: string): string => url.searchParams.get(name) ?? '';
  if (['host', 'port'].some((name) => parameter(name).includes(','))) return `has several hosts, and ${oneHost}`;
  if (['', 'any'].includes(parameter('target_session_attrs'))) return null;
  return `has target_session_attrs, which chooses among several hosts, and ${oneHost}`;
};
