import { open, rm, type FileHandle } from 'node:fs/promises';

import { CliError, errorCode } from '../errors.js';
import type { RowProblem } from './convert-row.js';
import { emptyText, type SourceFile } from './csv-rows.js';
import { parseJsonObject } from '../json-object.js';

/** The columns before those of the source. */
const ownColumns = ['line', 'field', 'reason'];

const csvCell = (text: string): string =>
  text === emptyText ? '""' : /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
const csvLine = (cells: readonly string[]): string => `${cells.map(csvCell).join(',')}\n`;

/** How a file of rejected rows begins, which tells it from a file that is nobody's to overwrite. */
const ownStarts = [`${ownColumns.join(',')},`, '{"line":'];

/** The object that the line held, with the reason before its own keys; the line itself when it held none. */
const jsonLine = (own: readonly [line: string, field: string, reason: string], text: string): string => {
  const record = parseJsonObject(text);
  const [line, field, reason] = own;
  const rest = Object.keys(record).length > 0 ? record : { text };
  return `${JSON.stringify({ line: Number(line), field, reason, ...withoutOwn(rest) })}\n`;
};

const withoutOwn = (record: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(record).filter(([name]) => !ownColumns.includes(name)));

type Source = Pick<SourceFile, 'columns' | 'format'>;

/**
 * The rows that were refused, in a file of the source's format that can be corrected and imported again: line, field and
 * reason, then the columns of the source as they were. It is made with the first row, so that no file means that nothing was refused.
 */
export class RejectsFile {
  readonly path: string;
  readonly #header: string;
  /** How many leading cells of a row are those of an earlier rejects file, which the new ones replace. */
  readonly #dropped: number;
  #handle: FileHandle | undefined;
  /** Workers reject rows at the same time; one chain of writes keeps lines whole. */
  #writes: Promise<void> = Promise.resolve();

  readonly #isJson: boolean;

  private constructor(path: string, { columns: sourceColumns, format }: Source) {
    this.path = path;
    this.#isJson = format === 'jsonl';
    this.#dropped = ownColumns.every((name, index) => sourceColumns[index] === name) ? ownColumns.length : 0;
    this.#header = this.#isJson ? '' : csvLine([...ownColumns, ...sourceColumns.slice(this.#dropped)]);
  }

  /**
   * Gets ready to write, removing what an earlier import left there.
   *
   * @throws CliError when a file is there that is no rejects file.
   */
  static async prepare(path: string, source: Source): Promise<RejectsFile> {
    const firstLine = await readStart(path);
    if (firstLine !== undefined) {
      if (!ownStarts.some((start) => firstLine.startsWith(start))) {
        throw new CliError(`${path} exists and is no file of rejected rows; name another one with --rejects.`);
      }
      await rm(path);
    }
    return new RejectsFile(path, source);
  }

  /** Writes one refused row; several problems of it share the row, so that each row is there once. */
  add(line: number, problems: readonly RowProblem[], cells: readonly string[]): Promise<void> {
    const fields = problems.map(({ field }) => field).filter((field) => field !== '');
    const reasons = problems.map(({ field, reason }) =>
      field === '' || problems.length === 1 ? reason : `${field}: ${reason}`,
    );
    const own = [String(line), fields.join('; '), reasons.join('; ')] as const;
    const text = this.#isJson ? jsonLine(own, cells[0] ?? '') : csvLine([...own, ...cells.slice(this.#dropped)]);
    this.#writes = this.#writes.then(async () => {
      if (this.#handle === undefined) {
        this.#handle = await open(this.path, 'w');
        await this.#handle.write(this.#header);
      }
      await this.#handle.write(text);
    });
    return this.#writes;
  }

  /** Ends the file. */
  async close(): Promise<void> {
    await this.#writes;
    await this.#handle?.close();
    this.#handle = undefined;
  }
}

/** The first bytes of a file, or `undefined` when there is none. */
const readStart = async (path: string): Promise<string | undefined> => {
  try {
    const handle = await open(path, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};
