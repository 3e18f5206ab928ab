import { readFile } from 'node:fs/promises';
import type { TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { dumpSchema } from '../src/migrate/dump-schema.js';
import { createMigratedDatabase, queryOnce } from './support/database.js';

let database: TestDatabase;

beforeAll(async () => {
  database = await createMigratedDatabase();
});
afterAll(() => database.drop());

test('sql/schema.sql matches the migrations and the write functions; if not, run npm run reference', async () => {
  const stored = await readFile(new URL('../sql/schema.sql', import.meta.url), 'utf8');
  expect(await dumpSchema(database.url)).toBe(stored);
});

test('shows every kind of change', async () => {
  const changes = [
    ['ALTER TABLE notes ADD mood text', /^ +mood text,?$/m],
    [`ALTER TABLE notes ALTER title SET DEFAULT 'a default'`, /title text.* DEFAULT 'a default'/],
    ['ALTER TABLE notes ADD CONSTRAINT long_title CHECK (length(title) > 0)', /CONSTRAINT long_title CHECK/],
    ['ALTER TABLE accounts ALTER industry TYPE text COLLATE "C"', /industry text COLLATE .*"C"/],
    ['CREATE INDEX a_title ON notes (organization_id, title) WHERE title IS NOT NULL', /INDEX a_title .* WHERE/],
    ['ALTER TABLE notes SET (autovacuum_analyze_threshold = 4711)', /autovacuum_analyze_threshold\W+4711/],
    [
      `DROP FUNCTION new_id(timestamptz);
       CREATE FUNCTION new_id(p_when timestamptz) RETURNS uuid LANGUAGE sql RETURN NULL::uuid`,
      /new_id\(p_when /,
    ],
  ] as const;
  for (const [change, line] of changes) {
    expect(await readFile(new URL('../sql/schema.sql', import.meta.url), 'utf8')).not.toMatch(line);
    await queryOnce(database.url, change);
  }
  const dump = await dumpSchema(database.url);
  expect(changes.filter(([, line]) => !line.test(dump))).toEqual([]);
});

test('fails if the database has a function that the sources lack, or lacks one of theirs', async () => {
  await queryOnce(database.url, 'CREATE FUNCTION left_over() RETURNS int LANGUAGE sql RETURN 1');
  await expect(dumpSchema(database.url)).rejects.toThrow('No file has left_over');
  await queryOnce(database.url, 'DROP FUNCTION left_over(); DROP FUNCTION new_id(timestamptz)');
  await expect(dumpSchema(database.url)).rejects.toThrow('The database lacks a function of helpers.sql');
});
