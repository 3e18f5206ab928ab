/** @not-on-citus reads the sources, and the catalog of one server */
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { readTestStack } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { delegatedFunctions } from '../src/distribution/distribute-functions.js';
import { readFunctionFiles } from '../src/migrate/migrations.js';
import { queryOnce } from './support/database.js';
import { distributionRules, faultsOf, ofAllOrganizations } from './support/distribution-rules.js';
import { exampleFunction, refusedExamples } from './support/refused-examples.js';
import {
  namesOf,
  nodesOf,
  parseFunction,
  readSqlFunctions,
  readSqlTexts,
  type SqlFunction,
  statementOf,
  type Tree,
  walk,
} from './support/sql-tree.js';
import { type KnownSchema, tablesOf, type Volatility } from './support/sql-types.js';

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

/** Reads what the rules need from a migrated database. */
const readKnownSchema = async (functions: readonly SqlFunction[]): Promise<KnownSchema> => {
  const columns = await queryOnce<{ table: string; column: string; type: string; isTenant: boolean }>(
    readTestStack().databaseUrl,
    `SELECT c.relname AS table, a.attname AS column, t.typname AS type,
            EXISTS (SELECT FROM pg_constraint p WHERE p.conrelid = c.oid AND p.contype = 'p' AND p.conkey[1] = (
              SELECT o.attnum FROM pg_attribute o WHERE o.attrelid = c.oid AND o.attname = 'organization_id')) AS "isTenant"
       FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 JOIN pg_type t ON t.oid = a.atttypid
      WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')`,
  );
  const volatilities = await queryOnce<{ name: string; volatility: Volatility }>(
    readTestStack().databaseUrl,
    `SELECT proname AS name, CASE max(CASE provolatile WHEN 'i' THEN 0 WHEN 's' THEN 1 ELSE 2 END)
              WHEN 0 THEN 'immutable' WHEN 1 THEN 'stable' ELSE 'volatile' END AS volatility
       FROM pg_proc WHERE prokind = 'f' GROUP BY proname`,
  );
  const tables = new Map<string, Map<string, string>>();
  for (const { table, column, type } of columns)
    tables.set(table, (tables.get(table) ?? new Map<string, string>()).set(column, type));
  return {
    columns: tables,
    tenantTables: new Set(columns.filter(({ isTenant }) => isTenant).map(({ table }) => table)),
    copiedTables: new Set(['organizations']),
    volatility: new Map(volatilities.map(({ name, volatility }) => [name, volatility])),
    ownFunctions: new Set(functions.map(({ name }) => name)),
    tableFunctions: tableFunctions(functions, tables),
  };
};

const calledBy = ({ statements }: SqlFunction): readonly string[] =>
  statements.flatMap(({ tree }) => nodesOf(tree, 'FuncCall').map(({ funcname }) => namesOf(funcname).at(-1) ?? ''));

/** The functions that use a table themselves, or call one that does. */
const tableFunctions = (
  functions: readonly SqlFunction[],
  tables: ReadonlyMap<string, unknown>,
): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const { name, statements } of functions) {
    walk(
      statements.map(({ tree }) => tree),
      (_type, { relname }) => {
        if (tables.has(String(relname))) found.add(name);
      },
    );
  }
  for (let before = -1; before < found.size;) {
    before = found.size;
    for (const one of functions) if (calledBy(one).some((name) => found.has(name))) found.add(one.name);
  }
  return found;
};

describe('the write functions', () => {
  let functions: readonly SqlFunction[];
  let schema: KnownSchema;
  beforeAll(async () => {
    functions = await readSqlFunctions();
    schema = await readKnownSchema(functions);
  });

  test('are all parsed', () => {
    expect(functions.length).toBeGreaterThan(150);
    expect(schema.tenantTables.size).toBeGreaterThan(20);
    expect(schema.tableFunctions.size).toBeGreaterThan(60);
    const statements = functions.flatMap((one) => one.statements);
    expect(statements.length).toBeGreaterThan(800);
  });

  test.each(refusedExamples)('are checked: the rule "$rule" finds $body', ({ rule, body }) => {
    const found = faultsOf(parseFunction(exampleFunction(body)).statements, schema);
    expect(found).toEqual(expect.arrayContaining([expect.stringContaining(`example: ${rule} (`)]));
  });

  test('are checked: each rule has an example and is in the decision', async () => {
    const rules = Object.keys(distributionRules);
    expect(new Set(refusedExamples.map(({ rule }) => rule))).toEqual(new Set(rules));
    const decision = await readFile(
      new URL('../../../docs/decisions/0025-distribution-by-organization.md', import.meta.url),
      'utf8',
    );
    for (const rule of rules) expect(decision).toContain(`| ${rule} `);
  });

  test('have no statement that Citus refuses', () => {
    expect(
      faultsOf(
        functions.flatMap(({ statements }) => statements),
        schema,
      ),
    ).toEqual([]);
  });

  test('called from TypeScript for an organization run on its worker: the call is alone in its statement', async () => {
    const calls = (await readSqlTexts()).flatMap(({ text }) => {
      const [, name = ''] = /\b(\w+)\(\$1[,)]/.exec(text) ?? [];
      return schema.tableFunctions.has(name) && !ofAllOrganizations.has(name) ? [{ name, text }] : [];
    });
    expect([...new Set(calls.map(({ name }) => name))].sort()).toEqual([...delegatedFunctions].sort());
    const isAlone = (text: string, name: string): boolean => {
      const { SelectStmt: node } = statementOf('', text).tree as { SelectStmt: Tree };
      const [target] = nodesOf(node.targetList, 'ResTarget');
      const call =
        node.fromClause === undefined ? nodesOf([target?.val], 'FuncCall')[0] : nodesOf(node.fromClause, 'FuncCall')[0];
      const isOnly = node.whereClause === undefined && nodesOf(node, 'SubLink').length === 0;
      const isBare = node.fromClause !== undefined || 'FuncCall' in (target?.val as Tree);
      return isOnly && isBare && namesOf(call?.funcname).at(-1) === name;
    };
    expect(calls.filter(({ name, text }) => !isAlone(text, name))).toEqual([]);
  });

  test('make all changes of tenant tables, except these statements of TypeScript', async () => {
    const changes = (await readSqlTexts())
      .filter(({ text }) => /\b(INSERT INTO|UPDATE|DELETE FROM) \w/.test(text))
      .map(({ file, text }) => statementOf(file, text))
      .filter(({ tree }) => [...tablesOf(tree).values()].some((table) => schema.tenantTables.has(table)));
    const files = new Set(changes.map(({ of }) => of));
    expect(files).toEqual(new Set(['administration/delete-organization.ts', 'webhooks/deliveries.ts']));
    // A worker extends its claims of all organizations in one statement.
    const faults = faultsOf(changes, schema);
    expect(faults).toEqual(['webhooks/deliveries.ts: organization not bound (webhook_endpoints)']);
  });
});
