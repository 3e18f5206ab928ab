import type { DMMF } from '@prisma/generator-helper';

type Datamodel = DMMF.Datamodel;
type Model = DMMF.Model;
type Field = DMMF.Field;

const columnTypes: Readonly<Record<string, string>> = {
  BigInt: 'bigint',
  Boolean: 'boolean',
  Bytes: 'bytea',
  DateTime: 'timestamp(3)',
  Decimal: 'numeric(65,30)',
  Float: 'double precision',
  Int: 'integer',
  Json: 'jsonb',
  String: 'text',
};

const referentialActions: Readonly<Record<string, string>> = {
  Cascade: 'CASCADE',
  NoAction: 'NO ACTION',
  Restrict: 'RESTRICT',
  SetDefault: 'SET DEFAULT',
  SetNull: 'SET NULL',
};

/** @throws Error for a word of schema.prisma that `table` lacks */
const translate = (table: Readonly<Record<string, string>>, word: string): string => {
  const translated = table[word];
  if (translated === undefined) throw new Error(`${word} is unknown here: add it to datamodel-sql.ts`);
  return translated;
};

const tableOf = (model: Model): string => model.dbName ?? model.name;
const columnOf = (field: Field): string => field.dbName ?? field.name;

const columnsOf = (model: Model, names: readonly string[]): string[] =>
  names.map((name) => columnOf(model.fields.find((field) => field.name === name) as Field));

/** `@db.Decimal(19, 4)` is `decimal(19, 4)` in PostgreSQL; Prisma names native types after it. */
const columnType = ({ type, nativeType, isList }: Field): string => {
  const [name, parameters] = nativeType ?? [translate(columnTypes, type), []];
  return name + (parameters.length > 0 ? `(${parameters.join(', ')})` : '') + (isList ? '[]' : '');
};

const isList = (value: Field['default']): value is readonly DMMF.FieldDefaultScalar[] => Array.isArray(value);

/** `@default("x")` is `'x'`, `@default([])` is `ARRAY[]::text[]`, `@default(now())` is `CURRENT_TIMESTAMP`. */
const defaultOf = (field: Field): string => {
  const value = field.default;
  if (isList(value)) return `ARRAY[${value.join(', ')}]::${columnType(field)}`;
  if (typeof value === 'string') return `'${value.replaceAll("'", "''")}'`;
  if (typeof value !== 'object') return String(value);
  if (value.name === 'dbgenerated') return String(value.args[0]);
  return translate({ now: 'CURRENT_TIMESTAMP' }, value.name);
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

const indexSql = (model: Model, index: DMMF.Index): string => {
  const [table, columns] = [
    tableOf(model),
    columnsOf(
      model,
      index.fields.map(({ name }) => name),
    ),
  ];
  if (index.type === 'id') {
    return `ALTER TABLE ${table} ADD CONSTRAINT ${table}_pkey PRIMARY KEY (${columns.join(', ')})`;
  }
  const [unique, suffix] = index.type === 'unique' ? ['UNIQUE', '_key'] : ['', '_idx'];
  const name = index.dbName ?? constraintName(table, columns, suffix);
  return `CREATE ${unique} INDEX ${name} ON ${table} (${columns.join(', ')})`;
};

const foreignKeySql = (models: readonly Model[], model: Model, field: Field): string => {
  const target = models.find(({ name }) => name === field.type) as Model;
  const from = columnsOf(model, field.relationFromFields ?? []);
  const to = columnsOf(target, field.relationToFields ?? []);
  const onDelete = field.relationOnDelete ?? (field.isRequired ? 'Restrict' : 'SetNull');
  return `ALTER TABLE ${tableOf(model)} ADD CONSTRAINT ${constraintName(tableOf(model), from, '_fkey')}
    FOREIGN KEY (${from.join(', ')}) REFERENCES ${tableOf(target)} (${to.join(', ')})
    ON DELETE ${translate(referentialActions, onDelete)}
    ON UPDATE ${translate(referentialActions, field.relationOnUpdate ?? 'Cascade')}`;
};

/** The statements that create the tables, keys and indexes of a datamodel, as `prisma migrate diff` would print them. */
export const datamodelSql = ({ models, indexes }: Datamodel): string => {
  const tables = models.map((model) => {
    const columns = model.fields.filter(({ kind }) => kind !== 'object').map(columnSql);
    return `CREATE TABLE ${tableOf(model)} (${columns.join(', ')})`;
  });
  const indexStatements = indexes.map((index) =>
    indexSql(models.find(({ name }) => name === index.model) as Model, index),
  );
  const foreignKeys = models.flatMap((model) =>
    model.fields
      .filter(({ relationFromFields }) => (relationFromFields ?? []).length > 0)
      .map((field) => foreignKeySql(models, model, field)),
  );
  return [...tables, ...indexStatements, ...foreignKeys].join(';\n');
};
