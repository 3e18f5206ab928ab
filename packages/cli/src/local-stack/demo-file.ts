import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CliError, errorCode, errorText } from '../errors.js';

/** The file that `crm start` writes for other tools once both gateways are ready. Addresses have no trailing slash. */
export interface DemoFile {
  readonly read_url: string;
  readonly inbound_url: string;
  readonly api_key: string;
  readonly pipeline_id: string;
  readonly organization_id: string;
  readonly database_url: string;
}

const keys = ['read_url', 'inbound_url', 'api_key', 'pipeline_id', 'organization_id', 'database_url'] as const;

/** The directory of the local stack: `CRM_DATA_DIR`, or `.crm` in the current directory. */
export const dataDirectory = (env: Readonly<Record<string, string | undefined>>): string =>
  env['CRM_DATA_DIR'] || '.crm';

/** The path of the demo file in a data directory. */
export const demoFilePath = (directory: string): string => join(directory, 'demo.json');

/**
 * Reads the demo file.
 *
 * @returns `undefined` if there is none.
 * @throws CliError if it is damaged.
 */
export const readDemoFile = (directory: string): Promise<DemoFile | undefined> => readDemo(demoFilePath(directory));

const readDemo = async (path: string): Promise<DemoFile | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isDemoFile(value)) return value;
    throw new CliError(`${path} is incomplete. Delete it and run npm start.`);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error instanceof CliError ? error : new CliError(`${path} cannot be read: ${errorText(error)}`);
  }
};

const isDemoFile = (value: unknown): value is DemoFile =>
  typeof value === 'object' && value !== null && keys.every((key) => typeof Reflect.get(value, key) === 'string');

/**
 * Publishes the demo file while the stack runs. At other times the file has the name `demo.stopped.json`. It is kept,
 * because the plain text of the key is stored nowhere else. Anyone who can read the file can use the key.
 */
export class DemoFileKeeper {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /**
   * Renames the published file, if any. Returns the contents of the renamed file, also if an earlier run renamed it.
   */
  async withdraw(): Promise<DemoFile | undefined> {
    try {
      await rename(demoFilePath(this.#directory), this.#withdrawnPath);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    return readDemo(this.#withdrawnPath);
  }

  /** Writes the file atomically. Only its owner can read it. */
  async publish(demo: DemoFile): Promise<void> {
    const temporary = `${demoFilePath(this.#directory)}.tmp`;
    await rm(temporary, { force: true });
    await writeFile(temporary, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(temporary, demoFilePath(this.#directory));
    await rm(this.#withdrawnPath, { force: true });
  }

  get #withdrawnPath(): string {
    return join(this.#directory, 'demo.stopped.json');
  }
}
