import { textTable } from '../administration/text-table.js';

type Values = Readonly<Record<string, unknown>>;

const isValues = (value: unknown): value is Values =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isRows = (value: unknown): value is readonly Values[] =>
  Array.isArray(value) && value.length > 0 && value.every(isValues);

const cellOf = (value: unknown): string =>
  value === null || value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);

const columnsOf = (rows: readonly Values[]): readonly string[] => [...new Set(rows.flatMap((row) => Object.keys(row)))];

/** The first columns that fit into a line. The first one is always shown. */
const fittingColumns = (rows: readonly Values[], columns: readonly string[], width: number): readonly string[] => {
  let left = width;
  const fits = (column: string): boolean => {
    left -= Math.max(column.length, ...rows.map((row) => cellOf(row[column]).length)) + 2;
    return left >= -2;
  };
  const until = columns.findIndex((column, index) => !fits(column) && index > 0);
  return until === -1 ? columns : columns.slice(0, until);
};

const tableOf = (rows: readonly Values[], width: number): string => {
  const columns = columnsOf(rows);
  const shown = fittingColumns(rows, columns, width);
  const cells = rows.map((row) => shown.map((column) => cellOf(row[column])));
  const rest = columns.slice(shown.length);
  const note = rest.length === 0 ? '' : `\nNot shown, for want of room: ${rest.join(', ')}. All: --json`;
  return `${textTable(shown, cells, '')}${note}`;
};

/** One line for each property, and a table for each list of objects. */
const describe = (values: Values, width: number): string => {
  const entries = Object.entries(values);
  const plain = entries.filter(([, value]) => !isRows(value) && !isValues(value));
  const names = Math.max(0, ...plain.map(([name]) => name.length));
  const parts = [
    plain.map(([name, value]) => `${name.padEnd(names)}  ${cellOf(value)}`.trimEnd()).join('\n'),
    ...entries.flatMap(([name, value]) => {
      if (isRows(value)) return [`${name}:\n${tableOf(value, width)}`];
      return isValues(value) && Object.keys(value).length > 0 ? [`${name}:\n${describe(value, width)}`] : [];
    }),
  ];
  return parts.filter((part) => part !== '').join('\n\n');
};

/** What pages have beside their records. It is shown only if there is a next page. */
const pageProperties = new Set(['has_more', 'next_cursor', 'limit', 'custom_field_definitions']);

/**
 * The `data` of a response for a person: a list of records is a table, a record has one line for each property.
 * @param width - of the terminal, in characters
 */
export const responseText = (data: Values, width: number): string => {
  const { has_more: hasMore } = data;
  const own = Object.entries(data).filter(([name]) => !pageProperties.has(name));
  const [[, only] = []] = own;
  const more = hasMore === true ? '\nThere are more: --paginate reads all' : '';
  if (own.length > 1) return `${describe(Object.fromEntries(own), width)}${more}`;
  if (isRows(only)) return `${tableOf(only, width)}${more}`;
  if (Array.isArray(only)) return 'There is none.';
  return isValues(only) ? describe(only, width) : describe(data, width);
};
