import { createReadStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';

import { parse, type Info } from 'csv-parse';

import { CliError, configurationError, errorText } from '../errors.js';
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
}

/** Stands for a quoted empty cell; no file that the gateways take values from can hold this character. */
export const emptyText = '\u0000';

/** A quote that is never closed would otherwise gather the rest of the file in memory. */
const maxRecordBytes = 1024 * 1024;

interface ParsedRecord {
  readonly record: readonly string[];
  readonly info: Info;
}

/**
 * Opens a CSV file: a byte order mark, quoted line breaks and empty lines are all right.
 *
 * @throws CliError when the file cannot be read, has no header, or is no CSV.
 */
export const openCsv = async (file: string, format: CsvFormat): Promise<SourceFile> => {
  const sizeBytes = await checkText(file, format.encoding);
  const records = parsedRecords(file, format);
  const lines = new LineCounter();
  const header = await records.next();
  if (header.done === true) throw configurationError(`${file} is empty: its first line must name the columns.`);
  const columns = header.value.record.map((name) => name.trim());
  lines.startOf(header.value);
  return { csv: format, columns, sizeBytes, rows: csvRows(columns, records, lines, format) };
};

async function* parsedRecords(file: string, format: CsvFormat): AsyncGenerator<ParsedRecord, undefined> {
  const parser = parse({
    ...(format.isExport === true && {
      cast: (value: string, { quoting }: { quoting: boolean }) => (quoting && value === '' ? emptyText : value),
    }),
    delimiter: format.delimiter,
    info: true,
    max_record_size: maxRecordBytes,
    relax_column_count: true,
    skip_empty_lines: true,
  });
  // Its rejection reaches the reader of `parser`, which pipeline() destroys with the same error.
  const reading = pipeline(createReadStream(file), decodeText(file, format.encoding), parser).catch(() => undefined);
  try {
    for await (const parsed of parser as AsyncIterable<ParsedRecord>) yield parsed;
    await reading;
  } catch (error) {
    if (error instanceof CliError) throw error;
    throw new CliError(`${file} cannot be read as CSV: ${errorText(error)}`, 1, { cause: error });
  }
  return undefined;
}

async function* csvRows(
  columns: readonly string[],
  records: AsyncIterator<ParsedRecord>,
  lines: LineCounter,
  format: CsvFormat,
): AsyncGenerator<SourceRow, undefined> {
  for (let next = await records.next(); next.done !== true; next = await records.next()) {
    const { record, info } = next.value;
    yield {
      line: lines.startOf(next.value),
      bytes: info.bytes,
      cells: record,
      row: new Map(columns.map((column, index) => [column, record[index] ?? ''])),
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

/** Finds the line on which a record starts; the parser only tells the one where it ends. */
class LineCounter {
  /** The parser counts a CRLF inside quotes as two lines. */
  #countedTwice = 0;

  startOf({ record, info }: ParsedRecord): number {
    let breaks = 0;
    for (const cell of record) {
      if (!cell.includes('\n') && !cell.includes('\r')) continue;
      breaks += cell.match(/\r\n|\r|\n/g)?.length ?? 0;
      this.#countedTwice += cell.match(/\r\n/g)?.length ?? 0;
    }
    return info.lines - this.#countedTwice - breaks;
  }
}
