import { createHash } from 'node:crypto';

import { runStatements } from './admin-client.js';
import { databasePrefix, readTestServer } from './test-server.js';

/** The gateways with their own role. */
export type TestRole = 'read' | 'inbound' | 'webhooks';

/** The names of the roles of this run: roles belong to a server, which runs may share. */
export const testRoleNames = (): Readonly<Record<TestRole, string>> => {
  const prefix = databasePrefix(readTestServer().runId);
  return { read: `${prefix}read`, inbound: `${prefix}inbound`, webhooks: `${prefix}webhooks` };
};

/** The password of a role, which must be the same in every process of a run. */
const passwordOf = (role: string): string =>
  createHash('sha256').update(readTestServer().url).update(role).digest('hex');

/** The passwords of the roles by name. */
export const testRolePasswords = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.values(testRoleNames()).map((name) => [name, passwordOf(name)]));

/**
 * Creates the roles of this run, without any rights. Called once per run, because parallel test files would collide.
 * Citus copies the roles to its workers.
 */
export const createTestRoles = (): Promise<void> => {
  const passwords = Object.entries(testRolePasswords());
  const statements = passwords.map(([name, password]) => `CREATE ROLE ${name} LOGIN PASSWORD '${password}'`);
  return runStatements(readTestServer().url, ...statements);
};

/** The address of a database for the role of a gateway. */
export const urlForRole = (databaseUrl: string, role: TestRole): string => {
  const url = new URL(databaseUrl);
  const name = testRoleNames()[role];
  url.username = name;
  url.password = passwordOf(name);
  return url.href;
};
