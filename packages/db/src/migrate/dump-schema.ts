import { createClient } from '../connection/create-client.js';
import { readFunctionFiles } from './migrations.js';

interface DumpedTable {
  readonly name: string;
  /** `PARTITION BY …` and `WITH (…)`, or `''`. */
  readonly options: string;
  readonly columns: readonly string[];
  readonly constraints: readonly string[];
  readonly indexes: readonly string[];
  readonly statistics: readonly string[];
}

/** All tables except partitions. Columns are in table order, constraints and indexes by name. Indexes of constraints are left out. */
const tablesSql = `
  SELECT t.relname AS name, coalesce(' PARTITION BY ' || pg_get_partkeydef(t.oid), '') || coalesce(' WITH (' || array_to_string(t.reloptions, ', ') || ')', '') AS options,
         ARRAY(SELECT quote_ident(a.attname) || ' ' || format_type(a.atttypid, a.atttypmod)
                   || CASE WHEN a.attcollation <> y.typcollation THEN ' COLLATE ' || quote_ident(l.collname) ELSE '' END
                   || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
                   || coalesce(' DEFAULT ' || pg_get_expr(d.adbin, d.adrelid), '')
                 FROM pg_attribute a
                 JOIN pg_type y ON y.oid = a.atttypid
                 LEFT JOIN pg_collation l ON l.oid = a.attcollation
                 LEFT JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
                WHERE a.attrelid = t.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum) AS columns,
         ARRAY(SELECT 'CONSTRAINT ' || quote_ident(c.conname) || ' ' || pg_get_constraintdef(c.oid)
                 FROM pg_constraint c WHERE c.conrelid = t.oid AND c.contype <> 'n'
                ORDER BY c.contype = 'p' DESC, c.conname COLLATE "C") AS constraints,
         ARRAY(SELECT replace(replace(replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), ' ON ' || quote_ident(current_schema) || '.', ' ON '), ' USING btree', '')
                 FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
                WHERE i.indrelid = t.oid AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid AND c.contype IN ('p', 'u'))
                ORDER BY x.relname COLLATE "C") AS indexes,
         ARRAY(SELECT replace(pg_get_statisticsobjdef(s.oid), quote_ident(current_schema) || '.', '')
                 FROM pg_statistic_ext s WHERE s.stxrelid = t.oid ORDER BY s.stxname COLLATE "C") AS statistics
    FROM pg_class t
   WHERE t.relnamespace = current_schema::regnamespace AND t.relkind IN ('r', 'p') AND t.relname <> '_prisma_migrations' AND NOT t.relispartition
   ORDER BY t.relname COLLATE "C"`;

interface DumpedFunction {
  readonly name: string;
  readonly signature: string;
}

const functionsSql = `
  SELECT p.proname AS name, p.proname || '(' || pg_get_function_arguments(p.oid) || ') → ' || pg_get_function_result(p.oid) AS signature
    FROM pg_proc p
   WHERE p.pronamespace = current_schema::regnamespace
     AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_proc'::regclass AND d.objid = p.oid AND d.deptype = 'e')
   ORDER BY p.proname COLLATE "C", p.oid`;

const extensionsSql = `SELECT extname AS name FROM pg_extension WHERE extname <> 'plpgsql' ORDER BY extname COLLATE "C"`;

const tableText = ({ name, options, columns, constraints, indexes, statistics }: DumpedTable): string =>
  [
    `CREATE TABLE ${name} (\n${[...columns, ...constraints].map((line) => `  ${line}`).join(',\n')}\n)${options};`,
    ...[...indexes, ...statistics].map((definition) => `${definition};`),
  ].join('\n');

/** The functions of each source file, and which of our functions each one calls. @throws Error if a function exists only in the files or only in the database */
const functionsText = async (functions: readonly DumpedFunction[]): Promise<string> => {
  const files = (await readFunctionFiles()).map(({ name, sql }) => ({
    name,
    bodies: [...sql.matchAll(/^CREATE OR REPLACE FUNCTION (\w+)\(([^]*?)\n\$\$;/gm)].map(
      ([, one = '', body = '']) => [one, body] as const,
    ),
  }));
  const names = new Set(files.flatMap(({ bodies }) => bodies.map(([name]) => name)));
  const textOf = (name: string, body: string): string => {
    const signature = functions.find((one) => one.name === name)?.signature;
    const called = [...body.replaceAll(/--.*/g, '').matchAll(/\b(\w+)\(/g)].map(([, one = '']) => one);
    const calls = [...new Set(called)].filter((one) => one !== name && names.has(one)).sort();
    return `--   ${signature ?? ''}${calls.length === 0 ? '' : `\n--     calls ${calls.join(', ')}`}`;
  };
  const known = new Set(functions.map(({ name }) => name));
  const texts = files.map(({ name, bodies }) => {
    if (!bodies.every(([one]) => known.has(one))) throw new Error(`The database lacks a function of ${name}`);
    return [`-- ${name}`, ...bodies.map(([one, body]) => textOf(one, body))].join('\n');
  });
  const unknown = functions.filter(({ name }) => !names.has(name));
  if (unknown.length > 0) throw new Error(`No file has ${unknown.map(({ name }) => name).join(', ')}`);
  return texts.join('\n');
};

/**
 * The schema of a migrated database as readable SQL: extensions, tables, constraints, indexes, and the signatures of the write
 * functions by file. The text is the same on every supported version of PostgreSQL.
 *
 * @param url - a migrated database
 */
export const dumpSchema = async (url: string): Promise<string> => {
  const client = createClient(url, 'crm-dump-schema');
  await client.connect();
  try {
    const extensions = (await client.query<{ name: string }>(extensionsSql)).rows;
    const tables = (await client.query<DumpedTable>(tablesSql)).rows;
    const functions = (await client.query<DumpedFunction>(functionsSql)).rows;
    return [
      '-- The schema of a migrated database: the result of all migrations in prisma/migrations. For reading only; nothing runs it.\n' +
        '-- Generated by `npm run reference`. A test compares it with a database. README.md says which index serves which query.',
      extensions.map(({ name }) => `CREATE EXTENSION ${name};`).join('\n'),
      ...tables.map(tableText),
      '-- Write functions, by the file of sql/functions that has their text, and the functions that each one calls.',
      `${await functionsText(functions)}\n`,
    ].join('\n\n');
  } finally {
    await client.end();
  }
};
