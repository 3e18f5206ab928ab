import { randomBytes } from 'node:crypto';

import { runStatements } from './admin-client.js';
import { storePasswords } from './citus.js';
import { testRoleNames, type TestRole } from './test-roles.js';

/** A role that may read and write one database. It is not a superuser, so limits apply to it. */
export interface LimitedRole {
  /** The database's address for the role. */
  readonly url: string;
  /** Allows the role connections, or ends its connections and allows none. */
  setConnectionsAllowed(areAllowed: boolean): Promise<void>;
  drop(): Promise<void>;
}

/**
 * Creates a role for a migrated database.
 * @param gateway - the gateway whose rights it gets; without one, it may read and write every table
 */
export const startLimitedRole = async (databaseUrl: string, gateway?: TestRole): Promise<LimitedRole> => {
  const name = `limited_${randomBytes(6).toString('hex')}`;
  const password = randomBytes(12).toString('hex');
  const endConnections = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${name}'`;
  await runStatements(
    databaseUrl,
    `CREATE ROLE ${name} LOGIN PASSWORD '${password}'`,
    gateway === undefined
      ? `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${name}`
      : `GRANT ${testRoleNames()[gateway]} TO ${name}`,
  );
  await storePasswords(databaseUrl, { [name]: password });
  const url = new URL(databaseUrl);
  url.username = name;
  url.password = password;
  return {
    url: url.href,
    setConnectionsAllowed: (areAllowed) =>
      areAllowed
        ? runStatements(databaseUrl, `ALTER ROLE ${name} CONNECTION LIMIT -1`)
        : runStatements(databaseUrl, `ALTER ROLE ${name} CONNECTION LIMIT 0`, endConnections),
    drop: () => runStatements(databaseUrl, endConnections, `DROP OWNED BY ${name}`, `DROP ROLE ${name}`),
  };
};
