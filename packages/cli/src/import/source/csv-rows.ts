import { CliError, configurationError } from '../../errors.js';
import { unescapeFormula } from '../../spreadsheet-escape.js';
import type { Row, RowProblem } from '../mapping/convert-row.js';
import { type CsvFormat, type GivenFormat, guessFormat } from './csv-format.js';
import { type EncodingReading, readingsText } from './encoding.js';
import { BrokenRecord, type CsvRecord, quoteAdvice, RecordReader } from './record-reader.js';
import { checkText, decodeText } from './source-text.js';

/** One record of the file. */
export interface SourceRow {
  /** The line on which the record starts, counted from 1 with the header. */
  readonly line: number;
  /** The bytes of the file up to the end of the record. */
  readonly bytes: number;
  /** Its unchanged cells in file order. A JSON line is a single cell. */
  readonly cells: readonly string[];
  /** Its cells by column; empty for JSON lines. */
  readonly row: Row;
  /** The parsed object of a JSON line. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** Why the record cannot be used; empty if it can. */
  readonly problems: readonly RowProblem[];
}

/** An opened file: its columns, and its rows, of which only a few are in memory at a time. */
export interface SourceFile {
  /** The CSV format; absent for JSON lines. */
  readonly csv?: CsvFormat;
  /** A description of the guessed format: `Windows-1252, ";" between cells`. Empty for the usual format. */
  readonly guessed: string;
  /** The possible encodings of a CSV file, if it is in doubt. */
  readonly doubtful?: readonly EncodingReading[];
  readonly columns: readonly string[];
  readonly sizeBytes: number;
  readonly rows: AsyncGenerator<SourceRow, void>;
}

/** How to open a CSV file. */
export interface CsvOptions extends GivenFormat {
  /**
   * Written by `crm export`: `""` is an empty text, read as `emptyText`, and an empty cell is a missing value.
   */
  readonly isExport?: boolean;
  /** Reads the file in the first of several encodings. Only for a mapping that the user has to check. */
  readonly takesFirstEncoding?: boolean;
  /** Formulas start with an apostrophe, as `crm export` writes them. */
  readonly hasEscapedFormulas?: boolean;
}

/**
 * Opens a CSV file, and finds its format if that is not given. It may have a byte order mark, lines before the header,
 * quoted line breaks and empty lines.
 *
 * @throws CliError if the file cannot be read, has no header, or is not CSV, or if its encoding is in doubt.
 */
export const openCsv = async (file: string, options: CsvOptions): Promise<SourceFile> => {
  const { format, guessed, doubtful } = await guessFormat(file, options);
  if (doubtful.length > 0 && options.takesFirstEncoding !== true) throw encodingDoubt(file, doubtful);
  const sizeBytes = await checkText(file, format.encoding);
  const records = csvRecords(file, format, options);
  for (;;) {
    const { value: header } = await records.next();
    if (header === undefined) throw configurationError(`${file} is empty: its first line must name the columns.`);
    if (header.line < format.headerLine) continue;
    if (header.fault !== undefined) {
      await records.return();
      throw brokenRecord(file, header.line);
    }
    // Line breaks in names would break the lines of a mapping.
    const columns = header.cells.map((name) => name.replace(/\s+/g, ' ').trim());
    const rows = csvRows(columns, withNext(records), format, options);
    return { csv: format, guessed, doubtful, columns, sizeBytes, rows };
  }
};

const brokenRecord = (file: string, line: number): CliError =>
  new CliError(`The record that starts on line ${line} of ${file} has a misplaced quote. A ${quoteAdvice}.`);

const encodingDoubt = (file: string, readings: readonly EncodingReading[]): CliError =>
  configurationError(
    `${file} is not UTF-8, and can be read as ${readingsText(readings)}. Give --encoding, or encoding: in the mapping.`,
  );

async function* csvRecords(file: string, format: CsvFormat, options: CsvOptions): AsyncGenerator<CsvRecord, void> {
  const reader = new RecordReader(format.delimiter, options.isExport === true);
  try {
    for await (const text of decodeText(file, format.encoding)) yield* reader.read(text);
    yield* reader.read('', true);
  } catch (error) {
    if (!(error instanceof BrokenRecord)) throw error;
    throw brokenRecord(file, error.line);
  }
}

interface RecordWithNext {
  readonly record: CsvRecord;
  readonly next: CsvRecord | undefined;
}

/** Adds the next record to each. The record before a fault is complete, and comes before the error. */
async function* withNext(records: AsyncGenerator<CsvRecord, void>): AsyncGenerator<RecordWithNext, void> {
  let last: CsvRecord | undefined;
  let failure: CliError | undefined;
  try {
    for await (const next of records) {
      if (last !== undefined) yield { record: last, next };
      last = next;
    }
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    failure = error;
  }
  if (last !== undefined) yield { record: last, next: undefined };
  if (failure !== undefined) throw failure;
}

async function* csvRows(
  columns: readonly string[],
  records: AsyncGenerator<RecordWithNext, void>,
  format: CsvFormat,
  options: CsvOptions,
): AsyncGenerator<SourceRow, void> {
  const toValue = options.hasEscapedFormulas === true ? unescapeFormula : (cell: string): string => cell;
  let previous = columns.length;
  for await (const { record, next } of records) {
    const { line, bytes, cells: found, fault } = record;
    // Some programs end each row with a separator, and some leave out empty cells at the end.
    const cells = found.slice(columns.length).every((cell) => cell === '') ? found.slice(0, columns.length) : found;
    const around = [previous, next?.cells.length ?? 0];
    const reason = fault ?? (cells.length === columns.length ? undefined : lengthFault(columns, cells, around, format));
    yield {
      line,
      bytes,
      cells,
      row: new Map(columns.map((column, index) => [column, toValue(cells[index] ?? '')])),
      problems: reason === undefined ? lostCharacters(columns, cells, options) : [{ field: '', reason }],
    };
    previous = found.length;
  }
}

/**
 * Why a row of another length is refused. A shorter one is read with empty last cells, unless the file writes these, or
 * the row may be a part of a row with an unquoted line break: it has one cell, or makes a whole row with a neighbour.
 */
const lengthFault = (
  { length: most }: readonly string[],
  { length }: readonly string[],
  around: readonly number[],
  { omitsLastCells }: CsvFormat,
): string | undefined => {
  const isPart = length === 1 || around.some((other) => other < most && other + length === most + 1);
  if (length < most && omitsLastCells === true && !isPart) return undefined;
  return `has ${length} cells where the header has ${most} columns`;
};

/**
 * An export contains U+FFFD only if the record does. In other files, a program wrote it for characters that it could not
 * read.
 */
const lostCharacters = (
  columns: readonly string[],
  cells: readonly string[],
  { isExport }: CsvOptions,
): readonly RowProblem[] =>
  isExport === true
    ? []
    : cells.flatMap((cell, index) =>
        cell.includes('\uFFFD')
          ? [{ field: columns[index] ?? '', reason: 'has U+FFFD where characters were lost' }]
          : [],
      );
