import pg from 'pg';
import type { Column } from 'postgres';

/** The name of a text column whose values stay bytes: UTF-8 JSON that is passed on without being parsed. */
export const recordColumn = 'record_bytes';

const elementText = (value: unknown): string => {
  if (Array.isArray(value)) return arrayText(value);
  const text = parameterText(value);
  return text === null ? 'NULL' : `"${text.replace(/["\\]/g, '\\$&')}"`;
};

const arrayText = (values: readonly unknown[]): string => `{${values.map(elementText).join(',')}}`;

/** A value in PostgreSQL's text format. The server infers the type of each parameter. Objects are sent as JSON. */
export const parameterText = (value: unknown): string | null => {
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) return arrayText(value);
  if (value instanceof Date) return value.toISOString();
  if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`;
  // JSON.stringify throws for a bigint.
  return typeof value === 'bigint' ? value.toString() : JSON.stringify(value);
};

type Reader = (value: Buffer) => unknown;

const asBytes: Reader = (value) => value;

const parserOf = pg.types.getTypeParser as (type: number, format: 'text') => (text: string) => unknown;

const readerOf = ({ name, type }: Column<string>): Reader => {
  if (name === recordColumn) return asBytes;
  const parse = parserOf(type, 'text');
  return (value) => parse(value.toString('utf8'));
};

/** Converts rows to objects. Values have the same types as in `pg`: `bigint` and `numeric` are strings, timestamps are `Date`s. */
export const decodeRows = <Row extends object>(
  columns: readonly Column<string>[],
  rows: readonly (readonly (Buffer | null)[])[],
): Row[] => {
  const readers = columns.map(readerOf);
  return rows.map((values) => {
    const row: Record<string, unknown> = {};
    for (let index = 0; index < columns.length; index += 1) {
      const value = values[index] ?? null;
      row[columns[index]?.name ?? ''] = value === null ? null : readers[index]?.(value);
    }
    return row as Row;
  });
};
