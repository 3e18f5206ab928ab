import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

import { parse, type Info } from 'csv-parse';

import { CliError, configurationError, errorCode, errorText } from '../errors.js';
import { unescapeFormula } from '../spreadsheet-escape.js';
import type { Row, RowProblem } from './convert-row.js';
import { checkText, decodeText } from './source-text.js';

/** One record of the file. */
export interface SourceRow {
  /** The line on which the record starts, counted from 1 with the header. */
  readonly line: number;
  /** Bytes of the file read up to the end of the record. */
  readonly bytes: number;
  /** Its cells in the order of the file, as they are; of JSON lines the line as its one cell. */
  readonly cells: readonly string[];
  /** Its cells by column; empty for JSON lines. */
  readonly row: Row;
  /** Of JSON lines: the object. */
  readonly record?: Readonly<Record<string, unknown>>;
  /** Why the record cannot be used; empty if it can. */
  readonly problems: readonly RowProblem[];
}

/** An opened file: its columns, and its rows, of which only a few are held in memory at a time. */
export interface SourceFile {
  /** How CSV is written; absent for JSON lines. */
  readonly csv?: CsvFormat;
  readonly columns: readonly string[];
  readonly sizeBytes: number;
  readonly rows: AsyncIterator<SourceRow>;
}

/** How the file is written. */
export interface CsvFormat {
  readonly delimiter: string;
  readonly encoding: string;
  /** Written by `crm export`: `""` is the empty text, read as {@link emptyText}, and no value is absent. */
  readonly isExport?: boolean;
  /** Formulas have an apostrophe in front, as `crm export` writes them. */
  readonly hasEscapedFormulas?: boolean;
}

/** Stands for a quoted empty cell; no file that the gateways take values from can hold this character. */
export const emptyText = '\u0000';

/** A quote that is never closed would otherwise gather the rest of the file in memory. */
const maxRecordBytes = 1024 * 1024;

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

interface LocatedRecord extends ParsedRecord {
  readonly line: number;
}

/**
 * Opens a CSV file: a byte order mark, quoted line breaks and empty lines are all right.
 *
 * @throws CliError when the file cannot be read, has no header, or is no CSV.
 */
export const openCsv = async (file: string, format: CsvFormat): Promise<SourceFile> => {
  const sizeBytes = await checkText(file, format.encoding);
  const records = parsedRecords(file, format);
  const header = await records.next();
  if (header.done === true) throw configurationError(`${file} is empty: its first line must name the columns.`);
  const columns = header.value.record.map((name) => name.trim());
  return { csv: format, columns, sizeBytes, rows: csvRows(columns, records, format) };
};

async function* parsedRecords(file: string, format: CsvFormat): AsyncGenerator<LocatedRecord, undefined> {
  const lines = new LineCounter();
  // The parser is ahead of its reader, and drops the records between them when it fails.
  const parsedLines = new LineCounter();
  const parser = parse({
    ...(format.isExport === true && {
      cast: (value: string, { quoting }: { quoting: boolean }) => (quoting && value === '' ? emptyText : value),
    }),
    delimiter: format.delimiter,
    info: true,
    on_record: (parsed) => {
      // With `info` it is a record and its place, which the types of the parser do not say.
      parsedLines.startOf(parsed as unknown as ParsedRecord);
      return parsed;
    },
    max_record_size: maxRecordBytes,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // Its rejection reaches the reader of `parser`, which pipeline() destroys with the same error.
  const reading = pipeline(createReadStream(file), decodeText(file, format.encoding), parser).catch(() => undefined);
  try {
    for await (const parsed of parser as AsyncIterable<ParsedRecord>) {
      yield { ...parsed, line: lines.startOf(parsed) };
    }
    await reading;
  } catch (error) {
    if (error instanceof CliError) throw error;
    const text = isBrokenQuoting(error)
      ? `The record that starts on line ${parsedLines.next} of ${file} has a quote that is not in its place. A cell with ` +
        'quotes must be quoted as a whole, and each quote in it written twice: "5"" pipe".'
      : `${file} cannot be read as CSV: ${errorText(error)}.`;
    throw new CliError(text, 1, { cause: error });
  }
  return undefined;
}

/** A quote that is never closed makes one record of all that follows, up to the most that a record may have. */
const quotingFaults = [
  'CSV_QUOTE_NOT_CLOSED',
  'CSV_INVALID_CLOSING_QUOTE',
  'INVALID_OPENING_QUOTE',
  'CSV_MAX_RECORD_SIZE',
];

const isBrokenQuoting = (error: unknown): boolean => quotingFaults.includes(errorCode(error) ?? '');

async function* csvRows(
  columns: readonly string[],
  records: AsyncIterator<LocatedRecord>,
  format: CsvFormat,
): AsyncGenerator<SourceRow, undefined> {
  const toValue = format.hasEscapedFormulas === true ? unescapeFormula : (cell: string): string => cell;
  for (let next = await records.next(); next.done !== true; next = await records.next()) {
    const { record, info, line } = next.value;
    yield {
      line,
      bytes: info.bytes,
      cells: record,
      row: new Map(columns.map((column, index) => [column, toValue(record[index] ?? '')])),
      problems: recordProblems(columns, record, format),
    };
  }
  return undefined;
}

const recordProblems = (
  columns: readonly string[],
  record: readonly string[],
  { isExport }: CsvFormat,
): readonly RowProblem[] => {
  if (record.length !== columns.length) {
    return [{ field: '', reason: `has ${record.length} cells where the header has ${columns.length} columns` }];
  }
  // An export has it where the record has it. Elsewhere a program put it in the place of what it could not read.
  if (isExport === true) return [];
  return record.flatMap((cell, index) =>
    cell.includes('\uFFFD') ? [{ field: columns[index] ?? '', reason: 'has U+FFFD where characters were lost' }] : [],
  );
};

/** Finds the line on which a record starts; the parser only reports the one where it ends. */
class LineCounter {
  /** The parser counts a CRLF inside quotes as two lines. */
  #countedTwice = 0;
  #end = 0;

  /** The line on which the next record starts, if no blank one is before it. */
  get next(): number {
    return this.#end + 1;
  }

  startOf({ record, info }: ParsedRecord): number {
    let breaks = 0;
    for (const cell of record) {
      if (!cell.includes('\n') && !cell.includes('\r')) continue;
      breaks += cell.match(/\r\n|\r|\n/g)?.length ?? 0;
      this.#countedTwice += cell.match(/\r\n/g)?.length ?? 0;
    }
    this.#end = info.lines - this.#countedTwice;
    return this.#end - breaks;
  }
}
