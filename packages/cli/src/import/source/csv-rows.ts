import { pipeline } from 'node:stream/promises';

import { parse, type Info } from 'csv-parse';

import { CliError, configurationError, errorCode, errorText } from '../../errors.js';
import { unescapeFormula } from '../../spreadsheet-escape.js';
import type { Row, RowProblem } from '../mapping/convert-row.js';
import { type CsvFormat, type GivenFormat, guessFormat } from './csv-format.js';
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
  readonly columns: readonly string[];
  readonly sizeBytes: number;
  readonly rows: AsyncGenerator<SourceRow, void>;
}

/** How to open a CSV file. */
export interface CsvOptions extends GivenFormat {
  /**
   * Written by `crm export`: `""` is an empty text, read as {@link emptyText}, and an empty cell is a missing value.
   */
  readonly isExport?: boolean;
  /** Formulas start with an apostrophe, as `crm export` writes them. */
  readonly hasEscapedFormulas?: boolean;
}

/** Represents a quoted empty cell. It cannot occur in a file, because {@link decodeText} refuses zero bytes. */
export const emptyText = '\u0000';

/** The size limit of a record. Without it, an unclosed quote would read the rest of the file into memory. */
const maxRecordBytes = 1024 * 1024;

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

interface LocatedRecord extends ParsedRecord {
  readonly line: number;
}

/**
 * Opens a CSV file, and guesses its format if that is not given. It may have a byte order mark, quoted line breaks and
 * empty lines.
 *
 * @throws CliError if the file cannot be read, has no header, or is not CSV.
 */
export const openCsv = async (file: string, options: CsvOptions): Promise<SourceFile> => {
  const { format, guessed } = await guessFormat(file, options);
  const sizeBytes = await checkText(file, format.encoding);
  const records = parsedRecords(file, format, options);
  const header = await records.next();
  if (header.done === true) throw configurationError(`${file} is empty: its first line must name the columns.`);
  const columns = header.value.record.map((name) => name.trim());
  return { csv: format, guessed, columns, sizeBytes, rows: csvRows(columns, records, options) };
};

async function* parsedRecords(
  file: string,
  format: CsvFormat,
  { isExport }: CsvOptions,
): AsyncGenerator<LocatedRecord, void> {
  // The parser runs ahead of its reader. If it fails, it drops records that the reader has not got yet.
  const lines = new LineCounter();
  const parser = parse({
    ...(isExport === true && {
      cast: (value: string, { quoting }: { quoting: boolean }) => (quoting && value === '' ? emptyText : value),
    }),
    delimiter: format.delimiter,
    info: true,
    // With the option `info` this is a record with its position, but the parser's types do not say so.
    on_record: (parsed) => Object.assign(parsed, { line: lines.startOf(parsed as unknown as ParsedRecord) }),
    max_record_size: maxRecordBytes,
    relax_column_count: true,
    skip_empty_lines: true,
    skip_records_with_empty_values: true,
  });
  // A rejection can be ignored: pipeline() destroys `parser` with the same error, which its reader then throws.
  const reading = pipeline(decodeText(file, format.encoding), parser).catch(() => undefined);
  try {
    yield* parser as unknown as AsyncIterable<LocatedRecord>;
    await reading;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const text = isBrokenQuoting(error)
      ? `The record that starts on line ${lines.next} of ${file} has a misplaced quote. A cell with ` +
        'quotes must be quoted as a whole, and each quote in it written twice: "5"" pipe".'
      : `${file} cannot be read as CSV: ${errorText(error)}.`;
    throw new CliError(text, 1, { cause: error });
  }
}

/**
 * The parser's errors for wrong quotes. An unclosed quote makes one record of everything after it, up to the size
 * limit.
 */
const quotingFaults = [
  'CSV_QUOTE_NOT_CLOSED',
  'CSV_INVALID_CLOSING_QUOTE',
  'INVALID_OPENING_QUOTE',
  'CSV_MAX_RECORD_SIZE',
];

const isBrokenQuoting = (error: unknown): boolean => quotingFaults.includes(errorCode(error) ?? '');

async function* csvRows(
  columns: readonly string[],
  records: AsyncIterable<LocatedRecord>,
  options: CsvOptions,
): AsyncGenerator<SourceRow, void> {
  const toValue = options.hasEscapedFormulas === true ? unescapeFormula : (cell: string): string => cell;
  for await (const { record, info, line } of records) {
    yield {
      line,
      bytes: info.bytes,
      cells: record,
      row: new Map(columns.map((column, index) => [column, toValue(record[index] ?? '')])),
      problems: recordProblems(columns, record, options),
    };
  }
}

const recordProblems = (
  columns: readonly string[],
  record: readonly string[],
  { isExport }: CsvOptions,
): readonly RowProblem[] => {
  if (record.length !== columns.length) {
    return [{ field: '', reason: `has ${record.length} cells where the header has ${columns.length} columns` }];
  }
  // An export contains U+FFFD only if the record does. In other files, a program wrote it for characters that it could
  // not read.
  if (isExport === true) return [];
  return record.flatMap((cell, index) =>
    cell.includes('\uFFFD') ? [{ field: columns[index] ?? '', reason: 'has U+FFFD where characters were lost' }] : [],
  );
};

/** Finds the line on which a record starts. The parser reports only the line on which it ends. */
class LineCounter {
  /** The parser counts a CRLF inside quotes as two lines. */
  #countedTwice = 0;
  #end = 0;

  /** The line on which the next record starts, if no blank lines precede it. */
  get next(): number {
    return this.#end + 1;
  }

  startOf({ record, info }: ParsedRecord): number {
    const breaks = record.join(' ').match(/\r\n|\r|\n/g) ?? [];
    this.#countedTwice += breaks.filter((text) => text === '\r\n').length;
    this.#end = info.lines - this.#countedTwice;
    return this.#end - breaks.length;
  }
}
