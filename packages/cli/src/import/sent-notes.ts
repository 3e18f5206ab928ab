import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

import { CliError, errorCode, errorText } from '../errors.js';
import type { ImportConnection } from './connection.js';
import { parseJsonObject } from '../json-object.js';

/** Which file goes where: lines that are in there are not in anywhere else. */
interface NoteImport {
  /** SHA-256 of the file, in hexadecimal. */
  readonly digest: string;
  readonly url: string;
  /** The start of the key's SHA-256, since keys belong to no file. */
  readonly api_key_digest: string;
}

/** How a progress file begins, even one whose first line was cut. */
const start = '{"digest":';

const foreign = (path: string): string => `${path} is no progress file; name another one with --progress.`;

const sha256 = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

/**
 * Which lines of a file of notes are in. Notes have no natural key: an `Idempotency-Key` of the file's digest and the line keeps
 * one that is sent again from being made twice, but only for the day that gateways remember keys. The progress file remembers
 * on: its first line says of what it is, each other line is the number of a line that is in.
 */
export class SentNotes {
  readonly #lines: Set<number>;
  readonly #handle: FileHandle;
  /** One chain of writes keeps lines whole. */
  #writes: Promise<unknown> = Promise.resolve();

  private constructor(
    private readonly digest: string,
    lines: Iterable<number>,
    handle: FileHandle,
  ) {
    this.#lines = new Set(lines);
    this.#handle = handle;
  }

  /**
   * Opens the progress file of an import of notes, or begins one.
   *
   * @throws CliError when a file is there that is of another import, or no progress file.
   */
  static async open(path: string, file: string, { inboundUrl, apiKey }: ImportConnection): Promise<SentNotes> {
    const digest = await sha256(file);
    const apiKeyDigest = createHash('sha256').update(apiKey).digest('hex').slice(0, 12);
    const own: NoteImport = { digest, url: inboundUrl, api_key_digest: apiKeyDigest };
    const text = await readIfThere(path);
    // Without its end a line may be the start of a longer number.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [first, ...lines] = whole.split('\n').slice(0, -1);
    if (first !== undefined) assertSame(path, parseJsonObject(first), own);
    else if (text !== '' && !text.startsWith(start)) throw new CliError(foreign(path));
    const handle = await open(path, 'a').catch((error: unknown) => {
      throw new CliError(`${errorText(error)}. Name a place for the progress file with --progress.`);
    });
    await handle.truncate(Buffer.byteLength(whole));
    if (first === undefined) await handle.write(`${JSON.stringify(own)}\n`);
    return new SentNotes(digest, lines.map(Number), handle);
  }

  /** The `Idempotency-Key` of a line: equal notes on two lines or in two files have different ones. */
  keyOf(line: number): string {
    return `import-${this.digest}-${line}`;
  }

  /** Whether a line is in. */
  has(line: number): boolean {
    return this.#lines.has(line);
  }

  /** Notes that a line is in. */
  add(line: number): Promise<unknown> {
    this.#lines.add(line);
    this.#writes = this.#writes.then(() => this.#handle.write(`${line}\n`));
    return this.#writes;
  }

  /** Ends the file; it stays, so that the import can run again. */
  async close(): Promise<void> {
    // A write that failed has ended the import already.
    await this.#writes.catch(() => undefined);
    await this.#handle.close();
  }
}

const assertSame = (path: string, found: Readonly<Record<string, unknown>>, own: NoteImport): void => {
  const other = `To send all of it, name another file with --progress.`;
  if (found['digest'] === undefined) throw new CliError(foreign(path));
  if (found['digest'] !== own.digest) {
    throw new CliError(
      `${path} is of another version of this file, whose notes are in already: import the new lines from a file of their own. ${other}`,
    );
  }
  if (found['url'] !== own.url) throw new CliError(`${path} is of an import into ${String(found['url'])}. ${other}`);
  if (found['api_key_digest'] !== own.api_key_digest) {
    throw new CliError(
      `${path} is of an import with another API key. If both keys are of one organization, write "${own.api_key_digest}" as api_key_digest into its first line. ${other}`,
    );
  }
};

const readIfThere = async (path: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return '';
    throw error;
  }
};
