/** @not-on-citus compares the tables of one server */
import type { TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createMigratedDatabase, queryOnce } from './support/database.js';
import { datamodelSql } from './support/datamodel-sql.js';
import { findSchemaDrift } from './support/schema-drift.js';

let database: TestDatabase;
/** The statements that create the tables of schema.prisma. */
let sql: string;

beforeAll(async () => {
  database = await createMigratedDatabase();
  sql = await datamodelSql();
});
afterAll(() => database.drop());

test('the migrations create the tables of schema.prisma', async () => {
  expect(await findSchemaDrift(database.url, sql)).toEqual([]);
});

test('finds a difference of a column, an index and a key', async () => {
  const changes = [
    'ALTER TABLE stages ALTER color DROP NOT NULL',
    'CREATE INDEX notes_title_idx ON notes (organization_id, title)',
    'ALTER TABLE opportunities DROP CONSTRAINT opportunities_organization_id_owner_id_fkey',
  ];
  await queryOnce(database.url, changes.join(';'));
  expect((await findSchemaDrift(database.url, sql)).sort()).toEqual([
    '+ column stages.color text not null',
    '+ key opportunities FOREIGN KEY (organization_id, owner_id) REFERENCES members(organization_id, id) ON DELETE RESTRICT',
    '- column stages.color text',
    '- index CREATE INDEX notes_title_idx ON notes USING btree (organization_id, title)',
  ]);
});
