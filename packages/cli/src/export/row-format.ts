import { escapeFormula } from '../spreadsheet-escape.js';
import type { RecordPage } from './record-pages.js';
import type { TextPage } from './output.js';
import { columnNames, systemValue, type ExportColumns, type ExportRecord } from './columns.js';

/** The formats of an exported file. */
export const exportFormats = ['csv', 'jsonl'] as const;

/** One of {@link exportFormats}. */
export type ExportFormat = (typeof exportFormats)[number];

/** Converts records to text. */
export interface RowFormat {
  /** The text before the first record. */
  readonly header: string;
  /** The line of one record, with its line break. */
  readonly line: (record: ExportRecord) => string;
}

/** The options of a CSV file. */
export interface CsvStyle {
  /** By default a comma. */
  readonly delimiter?: string;
  /** Whether the file begins with a byte order mark. */
  readonly bom?: boolean;
  /** Whether formulas stay unescaped. */
  readonly raw?: boolean;
}

/** Creates a format. `customValues` returns the custom values of a record, with emails for members. */
export const makeRowFormat = (
  format: ExportFormat,
  columns: ExportColumns,
  customValues: CustomValues,
  style: CsvStyle,
): RowFormat => (format === 'csv' ? csvFormat(columns, customValues, style) : jsonFormat(columns, customValues));

/** Formats pages. The first page of a new file begins with the header. */
export async function* textPages(
  pages: AsyncIterable<RecordPage> | Iterable<RecordPage>,
  { header, line }: RowFormat,
  isNew: boolean,
): AsyncGenerator<TextPage, void, undefined> {
  let start = isNew ? header : '';
  for await (const { records, nextCursor } of pages) {
    yield { text: start + records.map(line).join(''), cursor: nextCursor, records: records.length };
    start = '';
  }
}

type CustomValues = (record: ExportRecord) => Readonly<Record<string, unknown>>;

const csvFormat = (columns: ExportColumns, customValues: CustomValues, style: CsvStyle): RowFormat => ({
  header: (style.bom === true ? '\uFEFF' : '') + csvLine(columnNames(columns), { ...style, raw: true }),
  line: (record) => {
    const custom = customValues(record);
    const values = [
      ...columns.system.map((column) => systemValue(column, record)),
      ...columns.custom.map((slug) => ownValue(custom, slug)),
    ];
    return csvLine(values, style);
  },
});

/**
 * One line of CSV. A missing value is an empty cell and an empty text is `""`, as in PostgreSQL's COPY. Lists and
 * objects are JSON.
 */
export const csvLine = (values: readonly unknown[], style: CsvStyle): string =>
  `${values.map((value) => csvCell(value, style)).join(style.delimiter ?? ',')}\n`;

const jsonFormat = (columns: ExportColumns, customValues: CustomValues): RowFormat => ({
  header: '',
  line: (record) => {
    const system = columns.system.map((column) => [column.name, systemValue(column, record)] as const);
    const custom = customValues(record);
    const kept = columns.custom.filter((slug) => Object.hasOwn(custom, slug)).map((slug) => [slug, custom[slug]]);
    const own = Object.fromEntries(system);
    if ('custom_fields' in record) own['custom_fields'] = Object.fromEntries(kept);
    return `${JSON.stringify(own)}\n`;
  },
});

const ownValue = (values: Readonly<Record<string, unknown>>, slug: string): unknown =>
  Object.hasOwn(values, slug) ? values[slug] : null;

/** Texts that a spreadsheet program would run as formulas are escaped, because any sender may have written them. */
const csvCell = (value: unknown, { delimiter = ',', raw }: CsvStyle): string => {
  if (value === null || value === undefined) return '';
  const text = typeof value !== 'string' ? JSON.stringify(value) : raw === true ? value : escapeFormula(value);
  // Leading and trailing spaces are quoted too, because some programs drop them otherwise.
  return text === '' || text.includes(delimiter) || /["\r\n]|^\s|\s$/.test(text)
    ? `"${text.replaceAll('"', '""')}"`
    : text;
};
