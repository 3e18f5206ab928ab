import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { access, constants, open, rm, stat, type FileHandle, utimes } from 'node:fs/promises';
import { dirname, join, parse } from 'node:path';
import { pipeline } from 'node:stream/promises';

import { CliError, errorText, ifThere, usageError } from '../../errors.js';
import { csvLine } from '../../export/row-format.js';
import type { RowProblem } from '../mapping/convert-row.js';
import type { SourceFile } from '../source/csv-rows.js';
import { emptyText } from '../source/record-reader.js';
import { parseJsonObject } from '../../json-object.js';
import { privateMode } from '../../private-mode.js';

/** The columns before those of the source. */
const ownColumns = ['line', 'field', 'reason'];

/** Excel and an import read a file with this mark as UTF-8, the import even if the mapping has another `encoding:`. */
const byteOrderMark = '\uFEFF';

/** The start of such a file in any format. Other files must not be overwritten. */
const ownStart = /^\uFEFF?line.{1,4}?field.{1,4}?reason|^\{"line":/;

/** In an export, an empty cell is a missing value and `""` is an empty text. */
const cellValue = (cell: string): string | null => {
  if (cell === emptyText) return '';
  return cell === '' ? null : cell;
};

type OwnCells = readonly [line: string, field: string, reason: string];

/** The keys at the start of a line from an earlier such file, in any spacing. */
const earlierKeys =
  /^\s*\{\s*"line"\s*:\s*\d+\s*,\s*"field"\s*:\s*"(?:[^"\\]|\\.)*"\s*,\s*"reason"\s*:\s*"(?:[^"\\]|\\.)*"\s*,?/;

/**
 * Adds the reason to the start of a line: `{"a":1.50}` becomes `{"line":2,"field":"a","reason":"…","a":1.50}`. The rest
 * is copied without parsing, which could lose the fault itself, such as digits of a long number. A line that is not an
 * object becomes the value of `text`.
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
 * A file of rejected rows or of rows with warnings, in the format of the source, that the user can correct and import
 * again. It has line, field and reason, then the unchanged columns of the source. It is created with the first row, so
 * that no file means no such rows.
 */
export class RowsFile {
  readonly path: string;
  readonly #header: string;
  /** The number of leading cells that come from an earlier such file. The new ones replace them. */
  readonly #dropped: number;
  #handle: FileHandle | undefined;
  readonly #hash = createHash('sha256');
  /** Workers add rows at the same time. Writes are queued so that lines are not mixed. */
  #writes: Promise<void> = Promise.resolve();

  /** Absent for JSON lines. */
  readonly #delimiter: string | undefined;

  private constructor(path: string, { columns: sourceColumns, csv }: Source) {
    this.path = path;
    this.#delimiter = csv?.delimiter;
    this.#dropped = ownColumns.every((name, index) => sourceColumns[index] === name) ? ownColumns.length : 0;
    const columns = [...ownColumns, ...sourceColumns.slice(this.#dropped)];
    const mark = csv?.encoding === 'utf-8' && csv.hasMark !== true ? '' : byteOrderMark;
    this.#header = csv === undefined ? '' : mark + csvLine(columns, { delimiter: csv.delimiter, raw: true });
  }

  /**
   * Prepares for writing, and removes the file of an earlier import. A file that was changed since stays, because it may
   * have corrections: the new one is then `deals.csv.rejects.1.csv`.
   *
   * @throws CliError if another file is there, or no file can be created there.
   */
  static async prepare(wanted: string, source: Source): Promise<RowsFile> {
    const { dir, name, ext } = parse(wanted);
    let path = wanted;
    for (let number = 1; ; number += 1) {
      const firstLine = await readStart(path);
      if (firstLine === undefined) break;
      if (!ownStart.test(firstLine)) {
        throw new CliError(`${path} exists and is not from an import. Name another file with --rejects.`);
      }
      if (await isUnchanged(path)) {
        await rm(path);
        break;
      }
      path = join(dir, `${name}.${number}${ext}`);
    }
    await access(dirname(path), constants.W_OK).catch((error: unknown) => {
      throw usageError(`--rejects: ${path} cannot be written: ${errorText(error)}`);
    });
    return new RowsFile(path, source);
  }

  /** The path, if the file has rows. */
  get written(): string | undefined {
    return this.#handle === undefined ? undefined : this.path;
  }

  /** Writes one row. Several problems of a row are joined, so that each row is written once. */
  add(line: number, problems: readonly RowProblem[], cells: readonly string[]): Promise<void> {
    const fields = problems.map(({ field }) => field).filter((field) => field !== '');
    const reasons = problems.map(({ field, reason }) =>
      field === '' || problems.length === 1 ? reason : `${field}: ${reason}`,
    );
    const own = [String(line), fields.join('; '), reasons.join('; ')] as const;
    const text =
      this.#delimiter === undefined
        ? jsonLine(own, cells[0] ?? '')
        : csvLine([...own, ...cells.slice(this.#dropped)].map(cellValue), { delimiter: this.#delimiter, raw: true });
    this.#writes = this.#writes.then(async () => {
      if (this.#handle === undefined) {
        this.#handle = await open(this.path, 'w', privateMode);
        await this.#handle.write(this.#header);
        this.#hash.update(this.#header);
      }
      await this.#handle.write(text);
      this.#hash.update(text);
    });
    return this.#writes;
  }

  /** Closes the file. A failed write has already ended the import. */
  async close(): Promise<void> {
    await this.#writes.catch(() => undefined);
    await this.#handle?.close();
    if (this.#handle !== undefined) await mark(this.path, this.#hash.digest());
  }
}

/** The microseconds in which a digest is noted. */
const noted = (digest: Buffer): number => digest.readUInt32BE() % 1_000_000;

/**
 * Notes the digest of a file in the microseconds of its time of change. A file that was changed since, or a copy, has
 * other ones.
 */
const mark = async (path: string, digest: Buffer): Promise<void> => {
  const time = Math.floor(Date.now() / 1000) + noted(digest) / 1_000_000;
  await utimes(path, time, time).catch(() => undefined);
};

const isUnchanged = async (path: string): Promise<boolean> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  const microseconds = Number(((await stat(path, { bigint: true })).mtimeNs % 1_000_000_000n) / 1000n);
  // Seconds as a floating-point number are exact to less than a microsecond.
  return Math.abs(microseconds - noted(hash.digest())) <= 1;
};

/** The first bytes of a file, or `undefined` if there is none. */
const readStart = async (path: string): Promise<string | undefined> => {
  const handle = await ifThere(open(path, 'r'));
  if (handle === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(64), 0, 64, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
};
