import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, readFile, type FileHandle } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';

import { CliError, errorText, ifThere } from '../../errors.js';
import type { Gateways } from '../../api/gateways.js';
import { parseJsonObject } from '../../json-object.js';
import { privateMode } from '../../private-mode.js';

/** The start of a progress file, even if its first line is incomplete. */
const start = '{"digest":';

const foreign = (path: string): string => `${path} is not a progress file. Name another file with --progress.`;

const sha256 = async (file: string): Promise<string> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(file), hash);
  return hash.digest('hex');
};

/**
 * Records which lines of a file of notes are imported. Notes have no natural key. An `Idempotency-Key` of the file's
 * digest and the line prevents duplicates, but gateways remember keys for one day only. The progress file has no such
 * limit: its first line identifies the import, and each other line is the number of an imported line.
 */
export class SentNotes {
  readonly #lines: Set<number>;
  readonly #handle: FileHandle;
  /** Writes are queued so that lines are not mixed. */
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
   * Opens the progress file of an import of notes, or creates it.
   *
   * @throws CliError if the file belongs to another import, or is not a progress file.
   */
  static async open(path: string, file: string, { url, apiKey }: Gateways): Promise<SentNotes> {
    const digest = await sha256(file);
    const apiKeyDigest = createHash('sha256').update(apiKey).digest('hex').slice(0, 12);
    // Identifies the import. The key itself must not be written to a file.
    const own = { digest, url, api_key_digest: apiKeyDigest };
    const text = (await ifThere(readFile(path, 'utf8'))) ?? '';
    // An incomplete last line is dropped, because it may be the start of a longer number.
    const whole = text.slice(0, text.lastIndexOf('\n') + 1);
    const [first, ...lines] = whole.split('\n').slice(0, -1);
    if (first !== undefined) assertSame(path, parseJsonObject(first), own);
    else if (text !== '' && !text.startsWith(start)) throw new CliError(foreign(path));
    const handle = await open(path, 'a', privateMode).catch((error: unknown) => {
      throw new CliError(`${errorText(error)}. Choose another path for the progress file with --progress.`);
    });
    await handle.truncate(Buffer.byteLength(whole));
    if (first === undefined) await handle.write(`${JSON.stringify(own)}\n`);
    return new SentNotes(digest, lines.map(Number), handle);
  }

  /** The `Idempotency-Key` of a line. Equal notes on two lines or in two files have different keys. */
  keyOf(line: number): string {
    return `import-${this.digest}-${line}`;
  }

  /** Whether a line is imported. */
  has(line: number): boolean {
    return this.#lines.has(line);
  }

  /** Records that a line is imported. */
  add(line: number): Promise<unknown> {
    this.#lines.add(line);
    this.#writes = this.#writes.then(() => this.#handle.write(`${line}\n`));
    return this.#writes;
  }

  /** Closes the file. It is not deleted, so that the import can run again. */
  async close(): Promise<void> {
    // A failed write has already ended the import.
    await this.#writes.catch(() => undefined);
    await this.#handle.close();
  }
}

/** Checks that a progress file is of the same file, gateway and key. */
const assertSame = (
  path: string,
  found: Readonly<Record<string, unknown>>,
  own: Readonly<Record<'digest' | 'url' | 'api_key_digest', string>>,
): void => {
  if (found['digest'] === undefined) throw new CliError(foreign(path));
  const others = {
    digest: 'another version of this file, whose notes are already imported. Import the new lines from a separate file',
    url: `an import into ${String(found['url'])}`,
    api_key_digest: `an import with another API key. If both keys are of the same organization, write "${own.api_key_digest}" as api_key_digest into its first line`,
  };
  for (const key of ['digest', 'url', 'api_key_digest'] as const)
    if (found[key] !== own[key])
      throw new CliError(`${path} belongs to ${others[key]}. To send all lines, name another file with --progress.`);
};
