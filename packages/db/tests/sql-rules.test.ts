import { readFile } from 'node:fs/promises';
import { describe, expect, test } from '@jest/globals';
import { readFunctionFiles } from '../src/migrate/migrations.js';

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
const readTablePattern = async (): Promise<RegExp> => {
  const schema = await readFile(new URL('../sql/schema.sql', import.meta.url), 'utf8');
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
    const usesTable = await readTablePattern();
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
