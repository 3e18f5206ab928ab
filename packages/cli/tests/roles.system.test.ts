import { openAdministrationDatabase, type AdministrationDatabase } from '@crm/db';
import { testRoleNames, urlForRole, type TestRole } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createAdministeredDatabase, type AdministeredDatabase } from './support/administered-database.js';

let database: AdministeredDatabase;
let asRole: Record<TestRole, AdministrationDatabase>;
const roles = ['read', 'inbound'] as const;
const names = testRoleNames();
const options = ['--read-role', names.read, '--inbound-role', names.inbound, '--webhooks-role', names.webhooks];

beforeAll(async () => {
  database = await createAdministeredDatabase();
  const open = (role: TestRole): AdministrationDatabase => {
    // As behind PgBouncer, so that the settings are those of the role.
    const url = `${urlForRole(database.database.url, role)}?pgbouncer=true`;
    return openAdministrationDatabase({ url, applicationName: 'test', maxConnections: 1 });
  };
  asRole = { read: open('read'), inbound: open('inbound'), webhooks: open('webhooks') };
});
afterAll(async () => {
  await Promise.all(Object.values(asRole).map((each) => each.close()));
  await database.close();
});

const apply = async (): Promise<void> => {
  await database.crmJson('roles', 'apply', ...options);
};

/** The privileges of both roles, as `role table privilege`. */
const privileges = async (): Promise<string[]> => {
  const { rows } = await database.database.pool.query<{ held: string }>(
    `SELECT concat_ws(' ', grantee, table_name, privilege_type) AS held FROM information_schema.role_table_grants
      WHERE grantee = ANY ($1)
     UNION SELECT concat_ws(' ', grantee, table_name || '.' || column_name, privilege_type)
       FROM information_schema.column_privileges
      WHERE grantee = ANY ($1) AND (grantee, table_name, privilege_type) NOT IN
        (SELECT grantee, table_name, privilege_type FROM information_schema.role_table_grants)
     ORDER BY 1`,
    [[names.read, names.inbound]],
  );
  return rows.map(({ held }) => held);
};

const outcome = (role: TestRole, sql: string): Promise<string> =>
  asRole[role].pool.query(sql).then(
    () => 'done',
    (error: unknown) => String(error),
  );

describe('crm roles apply', () => {
  test('grants, revokes other grants, and changes nothing the second time; --dry-run prints the same as SQL', async () => {
    const before = await privileges();
    expect(before).toContain(`${names.read} api_keys.last_used_at UPDATE`);
    const { pool } = database.database;
    await pool.query(`GRANT ALL ON ALL TABLES IN SCHEMA public TO ${names.inbound}`);
    await pool.query(`GRANT SELECT (actor) ON audit_events TO ${names.read}`);
    await pool.query(`REVOKE SELECT ON notes FROM ${names.read}`);
    const changed = await privileges();
    expect(changed).not.toEqual(before);
    const { stdout } = await database.crm('roles', 'apply', '--dry-run', ...options);
    expect(await privileges()).toEqual(changed);
    for (let time = 0; time < 2; time += 1) {
      await apply();
      expect(await privileges()).toEqual(before);
    }
    await pool.query(`REVOKE SELECT ON notes FROM ${names.read}`);
    await pool.query(stdout);
    expect(await privileges()).toEqual(before);

    const tables = await pool.query<{ name: string }>(
      `SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public' AND tablename !~ '^events_' ORDER BY 1`,
    );
    const granted = new Set([...stdout.matchAll(/^GRANT .* ON (\w+) TO/gm)].map(([, table]) => table));
    expect(tables.rows.map(({ name }) => name).filter((name) => !granted.has(name))).toEqual([]);
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

  test('both gateways may update the last use of a key, and have the time limits that a pooler does not send', async () => {
    expect(await outcome('inbound', 'DELETE FROM opportunities')).toBe('done');
    for (const role of roles) {
      expect(await outcome(role, 'UPDATE api_keys SET last_used_at = now()')).toBe('done');
      const { rows } = await asRole[role].pool.query<{ name: string; setting: string }>(
        `SELECT name, setting FROM pg_settings WHERE name ~ '^(statement|lock|idle_in_transaction_session)_timeout$'
             OR name IN ('jit', 'max_parallel_workers_per_gather', 'plan_cache_mode')`,
      );
      expect(Object.fromEntries(rows.map(({ name, setting }) => [name, setting]))).toEqual({
        idle_in_transaction_session_timeout: '10000',
        jit: 'off',
        lock_timeout: '3000',
        max_parallel_workers_per_gather: '1',
        plan_cache_mode: role === 'read' ? 'force_generic_plan' : 'auto',
        statement_timeout: '5000',
      });
    }
  });

  test('refuses an invalid name, and a role that may not create roles', async () => {
    const injected = await database.crm('roles', 'apply', '--read-role', 'x; DROP TABLE notes');
    expect(injected).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('not a role name') });
    const asInbound = ['--database-url', asRole.inbound.url, '--read-role', 'another'];
    const refused = await database.crm('roles', 'apply', ...asInbound);
    expect(refused).toMatchObject({ exitCode: 1, stderr: expect.stringMatching(/permission denied|owner/) });
  });
});
