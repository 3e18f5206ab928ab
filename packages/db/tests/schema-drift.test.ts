import type { TestDatabase } from '@crm/testing';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { findSchemaDrift } from '../src/migrate/drift.js';
import { readSchema } from '../src/migrate/migrations.js';
import { createEmptyDatabase } from './support/database.js';

let database: TestDatabase;

beforeEach(async () => {
  database = await createEmptyDatabase();
});
afterEach(() => database.drop());

test('the migrations make what schema.prisma says', async () => {
  expect(await findSchemaDrift(database.url)).toEqual([]);
});

test.each<[string, RegExp, string, RegExp]>([
  ['a column', /^model Note \{/m, 'model Note {\n  mood String?', /^\+ column notes\.mood text$/],
  ['an index', /^model Note \{/m, 'model Note {\n  @@index([organizationId, title])', /^\+ index .*notes.*title/],
  [
    'a default',
    /(name +String\n)(?=[^}]*@@map\("pipelines"\))/,
    'name String @default("x")\n',
    /column pipelines\.name/,
  ],
])('%s that only schema.prisma has is found', async (_about, place, text, line) => {
  const schema = await readSchema();
  const changed = schema.replace(place, text);
  expect(changed).not.toBe(schema);
  const drift = await findSchemaDrift(database.url, changed);
  expect(drift).toContainEqual(expect.stringMatching(line));
});
