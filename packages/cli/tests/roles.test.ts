import { openAdministrationDatabase, type AdministrationDatabase } from '@crm/db';
import { testRoleNames, urlForRole, type TestRole } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { createAdministeredDatabase, type AdministeredDatabase } from './support/administered-database.js';

let database: AdministeredDatabase;
let asRole: Record<TestRole, AdministrationDatabase>;
const names = testRoleNames();
const options = ['--read-role', names.read, '--inbound-role', names.inbound];

beforeAll(async () => {
  database = await createAdministeredDatabase();
  expect(await database.crm('roles', 'apply', ...options)).toMatchObject({ exitCode: 0, stderr: '' });
  const url = database.database.url;
  const open = (role: TestRole): AdministrationDatabase =>
    // As behind PgBouncer, so that the settings are those of the role.
    openAdministrationDatabase({
      url: `${urlForRole(url, role)}?pgbouncer=true`,
      applicationName: 'test',
      maxConnections: 1,
    });
  asRole = { read: open('read'), inbound: open('inbound') };
});
afterAll(async () => {
  await Promise.all(Object.values(asRole).map((each) => each.close()));
  await database.drop();
});

/** The privileges that a role has, as `table privilege`. */
const privilegesOf = async (role: TestRole): Promise<string[]> => {
  const { rows } = await database.database.pool.query<{ held: string }>(
    `SELECT table_name || ' ' || privilege_type AS held FROM information_schema.role_table_grants WHERE grantee = $1
     UNION SELECT table_name || '.' || column_name || ' ' || privilege_type FROM information_schema.column_privileges
      WHERE grantee = $1 AND (table_name, privilege_type) NOT IN
        (SELECT table_name, privilege_type FROM information_schema.role_table_grants WHERE grantee = $1)
     ORDER BY 1`,
    [names[role]],
  );
  return rows.map(({ held }) => held);
};

const settingsOf = async ({ pool }: AdministrationDatabase): Promise<unknown> => {
  const { rows } = await pool.query(
    `SELECT name, setting FROM pg_settings WHERE name ~ '^(statement|lock|idle_in_transaction_session)_timeout$'
         OR name = 'max_parallel_workers_per_gather' ORDER BY 1`,
  );
  return rows;
};

const outcome = (role: TestRole, sql: string): Promise<string> =>
  asRole[role].pool.query(sql).then(
    () => 'done',
    (error: unknown) => String(error),
  );

describe('crm roles apply', () => {
  test('covers every table', async () => {
    const { rows } = await database.database.pool.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^events_' ORDER BY 1`,
    );
    const { stdout } = await database.crm('roles', 'apply', '--dry-run', ...options);
    const granted = new Set([...stdout.matchAll(/^GRANT .* ON (\w+) TO/gm)].map(([, table]) => table));
    expect(rows.map(({ name }) => name).filter((name) => !granted.has(name))).toEqual([]);
  });

  test.each<[TestRole, string]>([
    ['read', 'SELECT count(*) FROM audit_events'],
    ['read', 'SELECT count(*) FROM idempotency_keys'],
    ['read', 'UPDATE api_keys SET revoked_at = NULL'],
    ['read', 'DELETE FROM notes'],
    ['read', 'SELECT lo_create(0)'],
    ['read', `SELECT lo_from_bytea(0, 'x')`],
    ['read', 'CREATE TABLE own (id int)'],
    ['read', 'CREATE TEMPORARY TABLE own (id int)'],
    ['inbound', 'DELETE FROM audit_events'],
    ['inbound', 'UPDATE api_keys SET revoked_at = NULL'],
    ['inbound', 'INSERT INTO api_keys DEFAULT VALUES'],
    ['inbound', 'UPDATE organizations SET limits = NULL'],
    ['inbound', 'DELETE FROM _prisma_migrations'],
    ['inbound', 'DELETE FROM function_versions'],
    ['inbound', 'TRUNCATE notes'],
    ['inbound', 'SELECT lo_create(0)'],
  ])('the %s gateway may not %s', async (role, sql) => {
    expect(await outcome(role, sql)).toMatch(/permission denied/);
  });

  test('both may update the last use of a key, and the inbound gateway may change records', async () => {
    for (const role of ['read', 'inbound'] as const)
      expect(await outcome(role, 'UPDATE api_keys SET last_used_at = now()')).toBe('done');
    expect(await outcome('inbound', 'DELETE FROM opportunities')).toBe('done');
  });

  test('gives the roles the time limits that a pooler does not send', async () => {
    for (const role of ['read', 'inbound'] as const)
      expect(await settingsOf(asRole[role])).toEqual([
        { name: 'idle_in_transaction_session_timeout', setting: '10000' },
        { name: 'lock_timeout', setting: '3000' },
        { name: 'max_parallel_workers_per_gather', setting: '1' },
        { name: 'statement_timeout', setting: '5000' },
      ]);
  });

  test('revokes earlier grants, and changes nothing the second time', async () => {
    const before = [await privilegesOf('read'), await privilegesOf('inbound')];
    expect(before[0]).toContain('api_keys.last_used_at UPDATE');
    const { pool } = database.database;
    await pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${names.inbound}`);
    await pool.query(`GRANT SELECT (actor) ON audit_events TO ${names.read}`);
    expect([await privilegesOf('read'), await privilegesOf('inbound')]).not.toEqual(before);
    for (let time = 0; time < 2; time += 1) {
      expect(await database.crm('roles', 'apply', ...options)).toMatchObject({ exitCode: 0, stderr: '' });
      expect([await privilegesOf('read'), await privilegesOf('inbound')]).toEqual(before);
    }
  });

  test('--dry-run prints the equivalent SQL, and changes nothing', async () => {
    const { pool } = database.database;
    const before = await privilegesOf('read');
    await pool.query(`REVOKE SELECT ON notes FROM ${names.read}`);
    const { stdout } = await database.crm('roles', 'apply', '--dry-run', ...options);
    expect(await privilegesOf('read')).not.toEqual(before);
    await pool.query(stdout);
    expect(await privilegesOf('read')).toEqual(before);
  });

  test('refuses an invalid name, and a role that may not create roles', async () => {
    const injected = await database.crm('roles', 'apply', '--read-role', 'x; DROP TABLE notes');
    expect(injected).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not a role name') });
    const asInbound = asRole.inbound.url;
    const refused = await database.crm('roles', 'apply', '--database-url', asInbound, '--read-role', 'another');
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/permission denied|owner/) });
  });
});
