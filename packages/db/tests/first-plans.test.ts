import type { TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { createMigratedDatabase } from './support/database.js';

let testDatabase: TestDatabase;
let database: AdministrationDatabase;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = openAdministrationDatabase({
    url: testDatabase.url,
    applicationName: 'first-plans-test',
    maxConnections: 1,
  });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

describe('a new database', () => {
  test('has no rows', async () => {
    const tables = [
      'organizations',
      'pipelines',
      'accounts',
      'contacts',
      'opportunities',
      'opportunity_contacts',
      'notes',
    ];
    for (const table of tables) {
      const { rows } = await database.pool.query(`SELECT * FROM ${table}`);
      expect({ table, rows }).toEqual({ table, rows: [] });
    }
  });

  test.each([
    ['contacts', 'email = $2', 'contacts_organization_id_email_key'],
    ['contacts', 'id = $2::text::uuid', 'contacts_pkey'],
    ['accounts', 'domain = $2', 'accounts_organization_id_domain_key'],
    ['accounts', 'id = $2::text::uuid', 'accounts_pkey'],
    ['opportunities', 'id = $2::text::uuid', 'opportunities_pkey'],
    ['notes', 'id = $2::text::uuid', 'notes_pkey'],
    ...['accounts', 'contacts', 'opportunities'].map(
      (table) => [table, 'external_id = $2', `${table}_external_id_key`] as const,
    ),
    // The condition of a filter.
    ...['accounts', 'contacts'].map(
      (table) =>
        [
          table,
          `left((normalized->>'external_id') COLLATE "C", 200) COLLATE "C" = $2`,
          `${table}_external_id_idx`,
        ] as const,
    ),
  ])('looks up a row of %s with %s by the index %s, in generic plans too', async (table, condition, index) => {
    for (const mode of ['force_generic_plan', 'force_custom_plan']) {
      await database.pool.query(`SET plan_cache_mode = ${mode}`);
      await database.pool.query(
        `PREPARE look_up (uuid, text) AS SELECT * FROM ${table} WHERE organization_id = $1 AND ${condition}`,
      );
      const { rows } = await database.pool.query<Record<'QUERY PLAN', string>>(
        `EXPLAIN (COSTS OFF) EXECUTE look_up ('00000000-0000-4000-8000-000000000001', '00000000-0000-4000-8000-000000000002')`,
      );
      await database.pool.query('DEALLOCATE look_up');
      expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`using ${index} on ${table}`);
    }
  });
});
