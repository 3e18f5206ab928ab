import { access, constants, open, rm, type FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

import { CliError, errorCode, errorText, usageError } from '../errors.js';
import type { RowProblem } from './convert-row.js';
import { emptyText, type SourceFile } from './csv-rows.js';
import { parseJsonObject } from '../json-object.js';

/** The columns before those of the source. */
const ownColumns = ['line', 'field', 'reason'];

/** Makes an import with the same mapping read the file as UTF-8, whatever `encoding:` the mapping has. */
const byteOrderMark = '\uFEFF';

/** How a file of rejected rows begins, in any format; other files must not be overwritten. */
const ownStart = /^\uFEFF?line.{1,4}?field.{1,4}?reason|^\{"line":/;

const csvLine = (cells: readonly string[], delimiter: string): string =>
  `${cells.map((cell) => csvCell(cell, delimiter)).join(delimiter)}\n`;

const csvCell = (text: string, delimiter: string): string => {
  if (text === emptyText) return '""';
  return /["\r\n]/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
};

type OwnCells = readonly [line: string, field: string, reason: string];

/** The keys that an earlier rejects file put in front, however its JSON was written again. */
const earlierKeys =
  /^\s*\{\s*"line"\s*:\s*\d+\s*,\s*"field"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"reason"\s*:\s*"(?:[^"\\]|\\.)*"\s*,?/;

/**
 * The line as it was with the reason in front: `{"a":1.50}` gives `{"line":2,"field":"a","reason":"…","a":1.50}`. To parse it
 * would lose what it may be refused for, as digits of a long number. A line that holds no object becomes the value of `text`.
 */
const jsonLine = ([line, field, reason]: OwnCells, text: string): string => {
  const own = JSON.stringify({ line: Number(line), field, reason }).slice(0, -1);
  if (Object.keys(parseJsonObject(text)).length === 0 || !text.trim().startsWith('{')) {
    return `${own},"text":${JSON.stringify(text)}}\n`;
  }
  const rest = text.replace(earlierKeys, '{').trim().slice(1);
  return rest.trim() === '}' ? `${own}}\n` : `${own},${rest}\n`;
};

type Source = Pick<SourceFile, 'columns' | 'csv'>;

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

  /** Absent for JSON lines. */
  readonly #delimiter: string | undefined;

  private constructor(path: string, { columns: sourceColumns, csv }: Source) {
    this.path = path;
    this.#delimiter = csv?.delimiter;
    this.#dropped = ownColumns.every((name, index) => sourceColumns[index] === name) ? ownColumns.length : 0;
    const columns = [...ownColumns, ...sourceColumns.slice(this.#dropped)];
    const mark = csv?.encoding === 'utf-8' ? '' : byteOrderMark;
    this.#header = csv === undefined ? '' : mark + csvLine(columns, csv.delimiter);
  }

  /**
   * Gets ready to write, removing what an earlier import left there.
   *
   * @throws CliError when a file is there that is no rejects file, or none can be made there.
   */
  static async prepare(path: string, source: Source): Promise<RejectsFile> {
    const firstLine = await readStart(path);
    if (firstLine !== undefined) {
      if (!ownStart.test(firstLine)) {
        throw new CliError(`${path} exists and is no file of rejected rows; name another one with --rejects.`);
      }
      await rm(path);
    }
    await access(dirname(path), constants.W_OK).catch((error: unknown) => {
      throw usageError(`--rejects: ${path} cannot be written: ${errorText(error)}`);
    });
    return new RejectsFile(path, source);
  }

  /** Writes one refused row; several problems of it share the row, so that each row is there once. */
  add(line: number, problems: readonly RowProblem[], cells: readonly string[]): Promise<void> {
    const fields = problems.map(({ field }) => field).filter((field) => field !== '');
    const reasons = problems.map(({ field, reason }) =>
      field === '' || problems.length === 1 ? reason : `${field}: ${reason}`,
    );
    const own = [String(line), fields.join('; '), reasons.join('; ')] as const;
    const text =
      this.#delimiter === undefined
        ? jsonLine(own, cells[0] ?? '')
        : csvLine([...own, ...cells.slice(this.#dropped)], this.#delimiter);
    this.#writes = this.#writes.then(async () => {
      if (this.#handle === undefined) {
        this.#handle = await open(this.path, 'w');
        await this.#handle.write(this.#header);
      }
      await this.#handle.write(text);
    });
    return this.#writes;
  }

  /** Ends the file. A write that failed has ended the import already. */
  async close(): Promise<void> {
    await this.#writes.catch(() => undefined);
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
