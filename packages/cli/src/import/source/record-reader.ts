import { type Info, type Options, parse } from 'csv-parse/sync';

/** The size limit of a record. Without it, an unclosed quote would read the rest of the file into memory. */
export const maxRecordBytes = 1024 * 1024;

/** Represents a quoted empty cell of an export. It cannot occur in a file, because files with zero bytes are refused. */
export const emptyText = '\u0000';

/** One record of a CSV text. */
export interface CsvRecord {
  /** The line on which it starts, counted from 1. */
  readonly line: number;
  /** The bytes of the text, as UTF-8, up to its end. */
  readonly bytes: number;
  readonly cells: readonly string[];
  /** Why its cells are uncertain. */
  readonly fault?: string;
}

/** A quote at a place that leaves the end of the record, or of all records after it, unknown. */
export class BrokenRecord extends Error {
  constructor(readonly line: number) {
    super(`misplaced quote on line ${line}`);
  }
}

/** How to write quotes. */
export const quoteAdvice = 'cell with quotes must be quoted as a whole, and each quote in it written twice: "5"" pipe"';

/** Takes records out of a text that arrives in pieces. */
export class RecordReader {
  #rest = Buffer.alloc(0);
  #line = 1;
  #bytes = 0;
  #breaks: string[] = [];
  readonly #options: Options;
  /** The lines before a record that the parser skips. */
  readonly #blankLines: RegExp;

  /** @param isExport - a quoted empty cell becomes {@link emptyText} */
  constructor(
    private readonly delimiter: string,
    isExport = false,
  ) {
    this.#options = {
      ...(isExport && {
        cast: (value: string, { quoting }: { quoting: boolean }) => (quoting && value === '' ? emptyText : value),
      }),
      delimiter,
      info: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
    };
    this.#blankLines = new RegExp(`^(?:(?:""|[\\t ${delimiter.replace(/[\]\\^-]/g, '\\$&')}])*(?:\\r\\n|\\r|\\n))*`);
  }

  /**
   * Adds a piece of the text, and yields the records that are complete.
   *
   * @throws BrokenRecord if it is not safe to continue after a misplaced quote
   */
  *read(text: string, isLast = false): Generator<CsvRecord, void> {
    this.#rest = Buffer.concat([this.#rest, Buffer.from(text)]);
    for (let isStopped = true; isStopped && this.#rest.length > 0;) {
      const records: CsvRecord[] = [];
      isStopped = this.#readSome(records, isLast);
      yield* records;
      if (isStopped) yield this.#readFaulty();
    }
    if (isLast) this.#rest = Buffer.alloc(0);
  }

  /** Reads complete lines. Returns whether it stopped at a misplaced quote, and the text after it is known. */
  #readSome(records: CsvRecord[], isLast: boolean): boolean {
    const isLong = this.#rest.length > maxRecordBytes;
    if (this.#breaks.length === 0) {
      // Old files of the Macintosh end lines with CR alone. Others mix CRLF and LF.
      if (!this.#rest.includes(0x0a) && !isLast && !isLong) return false;
      this.#breaks = this.#rest.includes(0x0a) ? ['\r\n', '\n'] : ['\r'];
    }
    const whole = isLast ? this.#rest.length : this.#rest.lastIndexOf(this.#breaks.at(-1) ?? '') + 1;
    if (whole === 0 && !isLong) return false;
    const isRead = this.#parse(records, this.#rest.subarray(0, whole || this.#rest.length), {});
    return !isRead && (isLast || this.#rest.length > maxRecordBytes);
  }

  /** Reads the record at which the parser stopped. A quote inside an unquoted cell is data. */
  #readFaulty(): CsvRecord {
    const before = { rest: this.#rest, line: this.#line, bytes: this.#bytes };
    const relaxed: CsvRecord[] = [];
    const isRead = this.#parse(relaxed, this.#rest, { relax_quotes: true, to: 1 });
    const [record] = relaxed;
    const text = before.rest.toString('utf8', 0, before.rest.length - this.#rest.length);
    if (isRead && record !== undefined && this.#isWholeCells(record.cells, text.replace(this.#blankLines, '')))
      return record;
    this.#rest = before.rest;
    this.#line = before.line;
    this.#bytes = before.bytes;
    return this.#skipBroken();
  }

  /**
   * Whether each cell is written as it is, or quoted as a whole. The parser also reads a cell with text after its closing
   * quote, which is written in neither way.
   */
  #isWholeCells(cells: readonly string[], text: string): boolean {
    let start = 0;
    return cells.every((cell) => {
      const value = cell === emptyText ? '' : cell;
      const written = text[start] === '"' ? `"${value.replaceAll('"', '""')}"` : value;
      const isWhole = text.startsWith(written, start);
      start += written.length + this.delimiter.length;
      return isWhole;
    });
  }

  /** Parses a text, adds its records, and removes them from the rest. Returns whether it found no fault. */
  #parse(records: CsvRecord[], text: Buffer, more: Options): boolean {
    let end = 0;
    const on_record = (parsed: unknown): null => {
      const { record, info } = parsed as { record: string[]; info: Info };
      const raw = text.toString('utf8', end, info.bytes);
      const blank = this.#blankLines.exec(raw)?.[0] ?? '';
      const line = this.#line + countBreaks(blank);
      records.push({ line, bytes: this.#bytes + info.bytes - end, cells: record });
      this.#line += countBreaks(raw);
      this.#bytes += info.bytes - end;
      end = info.bytes;
      return null;
    };
    try {
      parse(text, { ...this.#options, ...more, record_delimiter: this.#breaks, on_record });
      return true;
    } catch {
      // The options are valid, so that the text is at fault.
      return false;
    } finally {
      this.#rest = this.#rest.subarray(end);
    }
  }

  /**
   * Skips the line with a misplaced quote. That is safe if all lines up to the next quote, and the line with it, are
   * complete records of as many cells: then no line is a part of the broken cell.
   */
  #skipBroken(): CsvRecord {
    const text = this.#rest.toString();
    const [first = '', ...others] = text.split(/\r\n|\n|\r/);
    const next = others.findIndex((line) => line.includes('"'));
    const lines = (next === -1 ? others : others.slice(0, next + 1)).filter((line) => line !== '');
    const cells = this.#cellsOf(first, { relax_quotes: true }) ?? first.split(this.delimiter);
    const isSafe = lines.every((line) => this.#cellsOf(line)?.length === cells.length);
    if (!isSafe || first.length > maxRecordBytes) throw new BrokenRecord(this.#line);
    const end = /^(?:\r\n|\n|\r)/.exec(text.slice(first.length))?.[0] ?? '';
    const length = Buffer.byteLength(first + end);
    const record = {
      line: this.#line,
      bytes: this.#bytes + length,
      cells,
      fault: `has a misplaced quote: a ${quoteAdvice}`,
    };
    this.#rest = this.#rest.subarray(length);
    this.#line += 1;
    this.#bytes += length;
    return record;
  }

  /** The cells of one line; undefined if it is no complete record. */
  #cellsOf(line: string, more: Options = {}): string[] | undefined {
    try {
      const records: unknown = parse(line, { delimiter: this.delimiter, relax_column_count: true, ...more });
      return (records as string[][])[0];
    } catch {
      return undefined;
    }
  }
}

const countBreaks = (text: string): number => (text.match(/\r\n|\r|\n/g) ?? []).length;
