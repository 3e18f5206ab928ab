import pg from 'pg';

/**
 * One line for each column, index and key of the tables of a schema, without partitions. It leaves out everything that Prisma cannot
 * express: collations, included columns of an index, and NOT NULL of lists.
 */
const describeSchema = `
  SELECT format('column %s.%s %s%s%s', c.relname, a.attname, format_type(a.atttypid, a.atttypmod),
                CASE WHEN a.attnotnull AND a.attndims = 0 THEN ' not null' ELSE '' END, ' default ' || pg_get_expr(d.adbin, d.adrelid)) AS line
    FROM pg_class c
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
   WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '_prisma_migrations'
  UNION ALL
  SELECT 'index ' || regexp_replace(replace(replace(replace(pg_get_indexdef(i.indexrelid), ' ON ONLY ', ' ON '), $1 || '.', ''), ' COLLATE "C"', ''), ' INCLUDE .*', '')
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
   WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '_prisma_migrations'
     AND i.indpred IS NULL AND i.indexprs IS NULL AND pg_get_indexdef(i.indexrelid) NOT LIKE '% USING gin %'
  UNION ALL
  SELECT format('key %s %s', conrelid::regclass, replace(pg_get_constraintdef(oid), $1 || '.', ''))
    FROM pg_constraint WHERE connamespace = $1::regnamespace AND contype IN ('p', 'f', 'u') AND conrelid <> '_prisma_migrations'::regclass
     AND NOT EXISTS (SELECT FROM pg_class c WHERE c.oid = conrelid AND c.relispartition)`;

const readLines = async (pool: pg.Pool, schema: string): Promise<Set<string>> => {
  const { rows } = await pool.query<{ line: string }>(describeSchema, [schema]);
  return new Set(rows.map(({ line }) => line.replaceAll(`${schema}.`, '')));
};

/**
 * Compares a database with `schema.prisma`: creates the tables of the schema in a second schema of the database, and reads both from
 * the PostgreSQL catalog.
 *
 * @param url - a database, whose schema `expected` is dropped and created again
 * @param sql - the statements that create the tables of `schema.prisma`
 * @returns a line for each difference: `+` if only schema.prisma has it, `-` if only the database has it. Ignores checks, and indexes that
 * Prisma cannot express (partial, on expressions, GIN)
 */
export const findSchemaDrift = async (url: string, sql: string): Promise<string[]> => {
  const pool = new pg.Pool({ connectionString: url, max: 1 });
  try {
    await pool.query(
      `DROP SCHEMA IF EXISTS expected CASCADE; CREATE SCHEMA expected; SET search_path = expected; ${sql}`,
    );
    await pool.query('RESET search_path');
    const [actual, expected] = [await readLines(pool, 'public'), await readLines(pool, 'expected')];
    return [
      ...[...expected].filter((line) => !actual.has(line)).map((line) => `+ ${line}`),
      ...[...actual].filter((line) => !expected.has(line)).map((line) => `- ${line}`),
    ];
  } finally {
    await pool.end();
  }
};
