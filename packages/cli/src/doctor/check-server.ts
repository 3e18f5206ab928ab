import type { ServerFacts } from '@crm/db';

import { ok, problem, warning, type Finding } from './finding.js';

const oldest = 15;
const newest = 18;
const requiredExtensions = ['pg_trgm', 'btree_gin'];
const clockToleranceMs = 5_000;

const checkVersion = ({ versionNumber }: ServerFacts): Finding => {
  const major = Math.floor(versionNumber / 10_000);
  const text = `PostgreSQL ${major}.${versionNumber % 10_000}`;
  if (major < oldest) return problem('version', text, `Upgrade the server to PostgreSQL ${oldest} to ${newest}.`);
  if (major > newest) return warning('version', text, `Versions up to ${newest} are tested; watch errors and plans.`);
  return ok('version', text);
};

const checkEncoding = ({ encoding }: ServerFacts): Finding =>
  encoding === 'UTF8'
    ? ok('encoding', encoding)
    : problem('encoding', encoding, 'Create the database with ENCODING UTF8; other encodings cannot store every name.');

const checkExtensions = ({ extensions }: ServerFacts): Finding => {
  const missing = requiredExtensions.filter((name) => !extensions.includes(name));
  if (missing.length === 0) return ok('extensions', requiredExtensions.join(', '));
  const statements = missing.map((name) => `CREATE EXTENSION ${name};`).join(' ');
  const advice = `Run crm migrate as the owner of the database, or: ${statements} On Debian they are in the package postgresql-contrib.`;
  return problem('extensions', `missing: ${missing.join(', ')}`, advice);
};

const checkRole = ({ isSuperuser }: ServerFacts): Finding =>
  isSuperuser
    ? warning(
        'role',
        'the role is a superuser, which bypasses all permission checks',
        'Create roles with fewer rights for the gateways: see "Roles" in docs/operating.md.',
      )
    : ok('role', 'not a superuser');

const checkDurability = ({ durability }: ServerFacts): Finding => {
  const off = Object.entries(durability).filter(([, value]) => value === 'off');
  if (off.length === 0) return ok('durability', 'acknowledged writes survive a crash');
  const names = off.map(([name]) => name).join(', ');
  return problem(
    'durability',
    `off: ${names}`,
    'Turn it on (ALTER SYSTEM SET … = on; SELECT pg_reload_conf()): a crash would lose or corrupt acknowledged writes.',
  );
};

/** Compares the server's clock with this machine's. A server time between the request and the response is correct. */
const checkClock = ({ clockMs }: ServerFacts, askedAtMs: number, answeredAtMs: number): Finding => {
  const differenceMs = clockMs < askedAtMs ? clockMs - askedAtMs : Math.max(0, clockMs - answeredAtMs);
  const seconds = (differenceMs / 1000).toFixed(1);
  if (Math.abs(differenceMs) <= clockToleranceMs) return ok('clock', `${seconds} s from this machine's`);
  return problem(
    'clock',
    `the server's clock is ${seconds} s from this machine's`,
    'Synchronize both with NTP. Key expiry and record times depend on these clocks.',
  );
};

const checkWrites = ({ isInRecovery, isReadOnly }: ServerFacts): readonly Finding[] => {
  if (isInRecovery) {
    const advice = 'Point it at the primary. The inbound gateway and the webhook worker are not ready on a standby.';
    return [problem('primary', 'DATABASE_URL leads to a standby (a replica), which takes no writes', advice)];
  }
  const advice =
    'Turn it off (ALTER SYSTEM, ALTER DATABASE or ALTER ROLE … SET): the inbound gateway and the webhook worker are not ready before.';
  return isReadOnly ? [problem('writes', 'default_transaction_read_only is on: nothing can be written', advice)] : [];
};

/** Checks the facts that a primary reports. The instants are those of the request and the response. */
export const checkServer = (facts: ServerFacts, askedAtMs: number, answeredAtMs: number): readonly Finding[] => [
  checkVersion(facts),
  checkEncoding(facts),
  checkExtensions(facts),
  checkRole(facts),
  checkDurability(facts),
  checkClock(facts, askedAtMs, answeredAtMs),
  ...checkWrites(facts),
];

/**
 * Checks whether the pools of all processes fit the server. `perProcess` has the pool sizes of one read and one inbound
 * gateway.
 */
export const checkConnections = (
  { connectionLimit }: ServerFacts,
  perProcess: readonly (number | undefined)[],
  processes: number,
): Finding => {
  const wanted = processes * perProcess.reduce<number>((sum, each) => sum + (each ?? 10), 0);
  const message = `${processes} of each gateway open up to ${wanted} of ${connectionLimit} connections`;
  if (wanted <= connectionLimit) return ok('connections', message);
  return problem(
    'connections',
    message,
    'Lower DATABASE_MAX_CONNECTIONS, raise max_connections, or put PgBouncer between them.',
  );
};
