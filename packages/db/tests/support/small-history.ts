import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { TestDatabase } from '@crm/testing';
import { migrate, type MigrateOptions } from '../../src/migrate/migrate.js';
import { type FunctionSources, type Migration, readMigrations } from '../../src/migrate/migrations.js';
import { createEmptyDatabase, queryOnce } from './database.js';

/** Write functions of another version: one function, whose source contains the name. */
export const functionsOf = (name: string, release: string): FunctionSources => ({
  sql: `CREATE OR REPLACE FUNCTION write_time() RETURNS timestamptz LANGUAGE sql AS 'SELECT now() /* ${name} */'`,
  digest: name,
  release,
});

/** Only the tables that record the history, because the whole schema takes a second of processor time per test. */
const cutDown = ({ name, sql }: Migration, index: number): Migration => {
  const [from, to] = ['CREATE TABLE function_versions', 'CREATE TABLE organizations'].map((text) => sql.indexOf(text));
  return { name, sql: index === 0 ? sql.slice(from, to) : '' };
};

/** An empty database for each test of a file, and its migration by the cut-down migrations of this version. */
export const useSmallHistory = () => {
  let database: TestDatabase;
  let all: readonly Migration[] = [];

  beforeAll(async () => {
    database = await createEmptyDatabase();
    all = (await readMigrations()).map(cutDown);
  });
  beforeEach(() => queryOnce(database.url, 'DROP SCHEMA public CASCADE; CREATE SCHEMA public'));
  afterAll(() => database.drop());

  return {
    url: () => database.url,
    names: () => all.map(({ name }) => name),
    /** Migrates as a version that has these migrations too. */
    upgrade: (added: readonly Migration[] = [], options: MigrateOptions = {}) =>
      migrate(database.url, { migrations: [...all, ...added], functions: functionsOf('small', '1.0.0'), ...options }),
    tables: async (): Promise<string[]> => {
      const text = `SELECT relname AS name FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace`;
      return (await queryOnce<{ name: string }>(database.url, text)).map(({ name }) => name);
    },
  };
};
