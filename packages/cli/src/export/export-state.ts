import { open, readFile, rename, rm, writeFile } from 'node:fs/promises';

import { CliError, errorCode } from '../errors.js';

/** How far an export is, as it stands in the file beside the output. */
export interface ExportState {
  /** Describes the export, so that another command does not continue this one's file. */
  readonly request: string;
  /** Of the next page; null when all pages are written. */
  readonly cursor: string | null;
  /** Bytes of the partial file that are whole pages. */
  readonly bytes: number;
  readonly records: number;
}

/** The file of an export under way, and how far it is; both stand beside the output until it is complete. */
export class PartialFile {
  readonly #output: string;

  constructor(output: string) {
    this.#output = output;
  }

  get path(): string {
    return `${this.#output}.partial`;
  }

  get #statePath(): string {
    return `${this.#output}.progress.json`;
  }

  /**
   * Reads how far an earlier run came.
   *
   * @returns `undefined` when there is none, or its file is gone.
   * @throws CliError when what is there cannot be gone on with.
   */
  async read(request: string): Promise<ExportState | undefined> {
    const text = await readIfThere(this.#statePath);
    if (text === undefined) return undefined;
    const state = parseState(text);
    if (state === undefined) throw new CliError(`${this.#statePath} is damaged. Give --restart to start over.`);
    if (state.request !== request) {
      throw new CliError(
        `${this.#statePath} is of another export. Run that one to its end, or give --restart to start this one over.`,
      );
    }
    const sizeBytes = await sizeIfThere(this.path);
    if (sizeBytes === undefined) return undefined;
    if (sizeBytes < state.bytes) {
      throw new CliError(`${this.path} is shorter than it was. Give --restart to start over.`);
    }
    return state;
  }

  /** Notes how far the export is, whole or not at all. */
  async write(state: ExportState): Promise<void> {
    const temporary = `${this.#statePath}.tmp`;
    await writeFile(temporary, `${JSON.stringify(state)}\n`);
    await rename(temporary, this.#statePath);
  }

  /** Forgets an earlier run. */
  async discard(): Promise<void> {
    await rm(this.#statePath, { force: true });
    await rm(this.path, { force: true });
  }

  /** Puts the complete file in the place of the output. */
  async finish(): Promise<void> {
    await rename(this.path, this.#output);
    await rm(this.#statePath, { force: true });
  }
}

const parseState = (text: string): ExportState | undefined => {
  try {
    const value: unknown = JSON.parse(text);
    return isState(value) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isState = (value: unknown): value is ExportState => {
  if (typeof value !== 'object' || value === null) return false;
  const { request, cursor, bytes, records } = value as Record<string, unknown>;
  return (
    typeof request === 'string' &&
    (cursor === null || typeof cursor === 'string') &&
    Number.isSafeInteger(bytes) &&
    Number.isSafeInteger(records)
  );
};

const readIfThere = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};

const sizeIfThere = async (path: string): Promise<number | undefined> => {
  try {
    const handle = await open(path, 'r');
    try {
      return (await handle.stat()).size;
    } finally {
      await handle.close();
    }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error;
  }
};
