/** @not-on-citus the dump is that of one server */
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

test('fails if the database has a function that the sources lack, or lacks one of theirs', async () => {
  await queryOnce(database.url, 'CREATE FUNCTION left_over() RETURNS int LANGUAGE sql RETURN 1');
  await expect(dumpSchema(database.url)).rejects.toThrow('No file has left_over');
  await queryOnce(database.url, 'DROP FUNCTION left_over(); DROP FUNCTION new_id(timestamptz)');
  await expect(dumpSchema(database.url)).rejects.toThrow('The database lacks a function of helpers.sql');
});
