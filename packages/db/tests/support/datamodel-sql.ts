import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { DMMF } from '@prisma/generator-helper';

type Model = DMMF.Model;
type Field = DMMF.Field;

const packageFolder = fileURLToPath(new URL('../../', import.meta.url));
const prismaCommand = fileURLToPath(new URL('../../../../node_modules/.bin/prisma', import.meta.url));
const generator = fileURLToPath(new URL('datamodel-generator.mjs', import.meta.url));

/** Parses `schema.prisma` with `prisma generate` and our own generator, which receives the models, fields and indexes from Prisma. */
const readDatamodel = async (): Promise<DMMF.Datamodel> => {
  const schema = await readFile(new URL('../../../../prisma/schema.prisma', import.meta.url), 'utf8');
  const folder = await mkdtemp(join(tmpdir(), 'crm-datamodel-'));
  const [schemaFile, output] = [join(folder, 'schema.prisma'), join(folder, 'datamodel.json')];
  const block = `generator datamodel {\n  provider = "node ${generator}"\n  output = "${output}"\n}\n`;
  try {
    await writeFile(schemaFile, `${schema}\n${block}`);
    await promisify(execFile)(prismaCommand, ['generate', '--schema', schemaFile, '--generator', 'datamodel'], {
      cwd: packageFolder,
      // As in scripts/generate.mjs: otherwise the command downloads an engine that it does not use.
      env: { ...process.env, PRISMA_SCHEMA_ENGINE_BINARY: process.execPath, CHECKPOINT_DISABLE: '1' },
    });
    return JSON.parse(await readFile(output, 'utf8')) as DMMF.Datamodel;
  } finally {
    await rm(folder, { recursive: true });
  }
};

/** The types of fields without `@db` whose name is another one in PostgreSQL. */
const columnTypes: Readonly<Record<string, string>> = {
  BigInt: 'bigint',
  Bytes: 'bytea',
  Float: 'double precision',
  Int: 'integer',
  Json: 'jsonb',
  String: 'text',
};

const tableOf = (model: Model): string => model.dbName ?? model.name;
const columnOf = (field: Field): string => field.dbName ?? field.name;

const columnsOf = (model: Model, names: readonly string[] = []): string[] =>
  names.map((name) => columnOf(model.fields.find((field) => field.name === name) as Field));

const named = (models: readonly Model[], name: string): Model => models.find((model) => model.name === name) as Model;

/** `@db.Decimal(19, 4)` is `decimal(19, 4)` in PostgreSQL; Prisma names native types after it. */
const columnType = ({ type, nativeType, isList }: Field): string => {
  const [name, parameters] = nativeType ?? [columnTypes[type] ?? type, []];
  return name + (parameters.length > 0 ? `(${parameters.join(', ')})` : '') + (isList ? '[]' : '');
};

/** `@default("x")` is `'x'`, `@default([])` is `ARRAY[]::text[]`, `@default(now())` is `CURRENT_TIMESTAMP`. */
const defaultOf = (field: Field): string => {
  const value = field.default as string | number | boolean | readonly [] | DMMF.FieldDefault;
  if (typeof value === 'string') return `'${value}'`;
  if (typeof value !== 'object') return String(value);
  if (!('name' in value)) return `ARRAY[]::${columnType(field)}`;
  return value.name === 'now' ? 'CURRENT_TIMESTAMP' : String(value.args[0]);
};

const columnSql = (field: Field): string =>
  [
    columnOf(field),
    columnType(field),
    field.isRequired && !field.isList ? 'NOT NULL' : '',
    field.hasDefaultValue ? `DEFAULT ${defaultOf(field)}` : '',
  ].join(' ');

/** A name as Prisma generates it: if it is too long, the column names are cut. */
const constraintName = (table: string, columns: readonly string[], suffix: string): string =>
  [table, ...columns].join('_').slice(0, 63 - suffix.length) + suffix;

const indexSql = (model: Model, { fields, type, dbName }: DMMF.Index): string => {
  const table = tableOf(model);
  const columns = columnsOf(
    model,
    fields.map(({ name }) => name),
  );
  if (type === 'id') return `ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey PRIMARY KEY (${columns.join(', ')})`;
  const [unique, suffix] = type === 'unique' ? ['UNIQUE', '_key'] : ['', '_idx'];
  const name = dbName ?? constraintName(table, columns, suffix);
  return `CREATE ${unique} INDEX ${name} ON ${table} (${columns.join(', ')})`;
};

/** `NoAction` is `NO ACTION`. */
const actionSql = (action: string): string => action.replace(/(?!^)[A-Z]/, ' $&').toUpperCase();

const foreignKeySql = (model: Model, field: Field, target: Model): string => {
  const columns = columnsOf(model, field.relationFromFields);
  const onDelete = field.relationOnDelete ?? (field.isRequired ? 'Restrict' : 'SetNull');
  return `ALTER TABLE ${tableOf(model)} ADD CONSTRAINT ${constraintName(tableOf(model), columns, '_fkey')}
    FOREIGN KEY (${columns.join(', ')})
    REFERENCES ${tableOf(target)} (${columnsOf(target, field.relationToFields).join(', ')})
    ON DELETE ${actionSql(onDelete)} ON UPDATE ${actionSql(field.relationOnUpdate ?? 'Cascade')}`;
};

/** The statements that create the tables, keys and indexes of `schema.prisma`, as `prisma migrate diff` would print them. */
export const datamodelSql = async (): Promise<string> => {
  const { models, indexes } = await readDatamodel();
  const tables = models.map((model) => {
    const columns = model.fields.filter(({ kind }) => kind !== 'object').map(columnSql);
    return `CREATE TABLE ${tableOf(model)} (${columns.join(', ')})`;
  });
  const foreignKeys = models.flatMap((model) =>
    model.fields
      .filter(({ relationFromFields }) => (relationFromFields ?? []).length > 0)
      .map((field) => foreignKeySql(model, field, named(models, field.type))),
  );
  return [...tables, ...indexes.map((index) => indexSql(named(models, index.model), index)), ...foreignKeys].join(
    ';\n',
  );
};
