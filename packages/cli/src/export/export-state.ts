import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';

import { CliError, ifThere } from '../errors.js';
import { parseJsonObject } from '../json-object.js';

/** The progress of an export, as stored in the file beside the output. */
export interface ExportState {
  /** A digest of the export's options, so that a different command does not continue this export's file. */
  readonly request: string;
  /** The cursor of the next page. Null after the last page. */
  readonly cursor: string | null;
  /** The size of the complete pages in the partial file. */
  readonly bytes: number;
  readonly records: number;
}

/** The partial file and the progress file of an export. Both are beside the output until the export is complete. */
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
   * Reads the progress of an earlier run.
   *
   * @returns `undefined` if there was none, or its file is gone.
   * @throws CliError if the earlier run cannot be continued.
   */
  async read(request: string): Promise<ExportState | undefined> {
    const text = await ifThere(readFile(this.#statePath, 'utf8'));
    if (text === undefined) return undefined;
    const state = parseState(text);
    if (state === undefined) throw new CliError(`${this.#statePath} is damaged. Give --restart to start over.`);
    if (state.request !== request) {
      throw new CliError(
        `${this.#statePath} belongs to another export. Finish that export first, or give --restart to start over with this one.`,
      );
    }
    const file = await ifThere(stat(this.path));
    if (file === undefined) return undefined;
    if (file.size < state.bytes) {
      throw new CliError(`${this.path} is shorter than its progress file says. Give --restart to start over.`);
    }
    return state;
  }

  /** Writes the progress atomically. */
  async write(state: ExportState): Promise<void> {
    const temporary = `${this.#statePath}.tmp`;
    await writeFile(temporary, `${JSON.stringify(state)}\n`);
    await rename(temporary, this.#statePath);
  }

  /** Deletes the files of an earlier run. */
  async discard(): Promise<void> {
    await rm(this.#statePath, { force: true });
    await rm(this.path, { force: true });
  }

  /** Renames the complete file to the output. */
  async finish(): Promise<void> {
    await rename(this.path, this.#output);
    await rm(this.#statePath, { force: true });
  }
}

const parseState = (text: string): ExportState | undefined => {
  const { request, cursor, bytes, records } = parseJsonObject(text);
  const isValid =
    typeof request === 'string' &&
    (cursor === null || typeof cursor === 'string') &&
    Number.isSafeInteger(bytes) &&
    Number.isSafeInteger(records);
  return isValid ? ({ request, cursor, bytes, records } as ExportState) : undefined;
};
