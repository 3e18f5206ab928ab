import { readFile } from 'node:fs/promises';
import type { TestDatabase } from '@crm/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { dumpSchema } from '../src/migrate/dump-schema.js';
import { createMigratedDatabase, queryOnce } from './support/database.js';

let database: TestDatabase;

beforeEach(async () => {
  database = await createMigratedDatabase();
});
afterEach(() => database.drop());

const stored = (): Promise<string> => readFile(new URL('../sql/schema.sql', import.meta.url), 'utf8');

test('sql/schema.sql matches the migrations and the write functions; if not, run npm run reference', async () => {
  expect(await dumpSchema(database.url)).toBe(await stored());
});

test.each([
  ['a column', 'ALTER TABLE notes ADD mood text'],
  ['a default', `ALTER TABLE notes ALTER title SET DEFAULT 'x'`],
  ['a check', 'ALTER TABLE notes ADD CONSTRAINT notes_title_check CHECK (length(title) > 0)'],
  ['a collation', 'ALTER TABLE accounts ALTER industry TYPE text COLLATE "C"'],
  ['a partial index', 'CREATE INDEX notes_title_idx ON notes (organization_id, title) WHERE title IS NOT NULL'],
  ['a storage parameter', 'ALTER TABLE notes RESET (autovacuum_analyze_threshold)'],
  [
    'an argument',
    'DROP FUNCTION new_id(timestamptz); CREATE FUNCTION new_id(p_when timestamptz) RETURNS uuid LANGUAGE sql RETURN NULL::uuid',
  ],
])('shows %s', async (_what, change) => {
  await queryOnce(database.url, change);
  expect(await dumpSchema(database.url)).not.toBe(await stored());
});

test('fails if the database has a function that the sources lack, or lacks one of theirs', async () => {
  await queryOnce(database.url, 'CREATE FUNCTION left_over() RETURNS int LANGUAGE sql RETURN 1');
  await expect(dumpSchema(database.url)).rejects.toThrow('No file has left_over');
  await queryOnce(database.url, 'DROP FUNCTION left_over(); DROP FUNCTION new_id(timestamptz)');
  await expect(dumpSchema(database.url)).rejects.toThrow('The database lacks a function of helpers.sql');
});
