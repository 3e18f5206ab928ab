import { readFileSync } from 'node:fs';
import { readTestStack } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { readFunctionFiles } from '../src/migrate/migrations.js';
import { queryOnce } from './support/database.js';

const page = readFileSync(new URL('../sql/README.md', import.meta.url), 'utf8');

/** Expands `a_{1..3}` to `a_1`, `a_2`, `a_3`. */
const expand = (text: string): string[] => {
  const found = /\{(\d+)\.\.(\d+)\}/.exec(text);
  if (found === null) return [text];
  const [first, last] = [Number(found[1]), Number(found[2])];
  return Array.from({ length: last - first + 1 }, (_, n) => text.replaceAll(found[0], String(first + n)));
};

/** The columns of the documented indexes, by index name. */
const documentedIndexes = (): Map<string, string> => {
  const section = page.slice(page.indexOf('## Indexes'));
  const rows = [...section.matchAll(/^\| `([^`]+)` +\| `([^`]+)` +\| \S/gm)];
  return new Map(
    rows.flatMap(([, names = '', columns = '']) => {
      const expanded = expand(columns);
      return expand(names).map((name, index) => [name, expanded[index] ?? columns] as const);
    }),
  );
};

/** Columns in the format of the page: without the organization, operator classes and casts. */
const shortColumns = (definition: string): string =>
  definition
    .replace(/^.*? USING \w+ \((.*?)\)(?: WHERE .*)?$/, '$1')
    .replace(/^organization_id, /, '')
    .replace(') INCLUDE (', ' + ')
    .replace(/\(\(text_1 IS NULL.*32768\)/, '(empty slots)')
    .replace(/btrim\(regexp_replace\(normalized_name.*'g'::text\)\)/, '(spaced name)')
    .replace(
      /"left"\(\(?\(?\(?normalized ->> '(\w+)'(?:::text)?\)? COLLATE "C"\)?, 200\)/,
      `left(normalized->>'$1', 200)`,
    )
    .replace(' gin_trgm_ops', '')
    .replaceAll('"', '');

describe('the README of the SQL', () => {
  test('lists all indexes of tenant tables with their columns, and no others', async () => {
    const rows = await queryOnce<{ name: string; definition: string }>(
      readTestStack().databaseUrl,
      `SELECT i.indexrelid::regclass::text AS name, pg_get_indexdef(i.indexrelid, 0, true) AS definition
         FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attname = 'organization_id'
        WHERE i.indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace AND NOT relispartition)
          AND i.indrelid <> 'api_keys'::regclass`,
    );
    expect(rows.length).toBeGreaterThan(100);
    const actual = rows.map(({ name, definition }) => [name, shortColumns(definition)] as const);
    expect(Object.fromEntries(documentedIndexes())).toEqual(Object.fromEntries(actual));
  });

  test('names only files that exist', async () => {
    const files = (await readFunctionFiles()).map(({ name }) => name);
    const named = [...page.matchAll(/`(\w+\.sql)`/g)].map(([, name = '']) => name);
    expect(named.filter((name) => name !== 'schema.sql' && !files.includes(name))).toEqual([]);
  });
});

/** The body of each function, without comments and strings. */
const readBodies = async (): Promise<Map<string, string>> =>
  new Map(
    (await readFunctionFiles()).flatMap(({ sql }) =>
      [...sql.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)\([\s\S]*? AS \$\$\n([\s\S]*?)\n\$\$;/gm)].map(
        ([, name = '', body = '']) => [name, body.replaceAll(/--.*/g, '').replaceAll(/'(?:[^']|'')*'/g, "''")] as const,
      ),
    ),
  );

/** Matches the use of a table: `FROM accounts`, `INSERT INTO accounts`. */
const readTablePattern = (): RegExp => {
  const schema = readFileSync(new URL('../sql/schema.sql', import.meta.url), 'utf8');
  const tables = [...schema.matchAll(/^CREATE TABLE (?:public\.)?(\w+)/gm)].map(([, name = '']) => name);
  expect(tables).toContain('opportunities');
  return new RegExp(`\\b(?:FROM|JOIN|INTO|UPDATE|ONLY)\\s+(?:${tables.join('|')})\\b`);
};

const calledIn = (text: string, names: ReadonlySet<string>): string[] =>
  [...text.matchAll(/\b(\w+)\(/g)].map(([, name = '']) => name).filter((name) => names.has(name));

/** The functions that use a table themselves, or call one that does. */
const tableFunctions = (bodies: ReadonlyMap<string, string>, usesTable: RegExp): ReadonlySet<string> => {
  const found = new Set([...bodies].filter(([, body]) => usesTable.test(body)).map(([name]) => name));
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const [name, body] of bodies) if (calledIn(body, found).length > 0) found.add(name);
  }
  return found;
};

const statementEnd = /;|\b(?:THEN|LOOP|BEGIN|DECLARE)\b|\bELSE\b(?=\s*\n)/;

describe('the write functions', () => {
  test('call no function that uses a table in a statement that uses one: Citus refuses it when it runs', async () => {
    const bodies = await readBodies();
    const usesTable = readTablePattern();
    const functions = tableFunctions(bodies, usesTable);
    expect(functions.size).toBeGreaterThan(60);
    const faults = [...bodies].flatMap(([name, body]) =>
      body
        .split(statementEnd)
        .filter((statement) => usesTable.test(statement))
        .flatMap((statement) => calledIn(statement, functions).map((called) => `${name} calls ${called}`)),
    );
    expect(faults).toEqual([]);
  });
});
