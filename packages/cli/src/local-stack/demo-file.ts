import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CliError, errorCode, errorText } from '../errors.js';

/** What `crm start` leaves for other tools once both gateways are ready. Addresses have no trailing slash. */
export interface DemoFile {
  readonly read_url: string;
  readonly inbound_url: string;
  readonly api_key: string;
  readonly pipeline_id: string;
  readonly organization_id: string;
  readonly database_url: string;
}

const keys = ['read_url', 'inbound_url', 'api_key', 'pipeline_id', 'organization_id', 'database_url'] as const;

/** The directory of the local stack: `CRM_DATA_DIR`, or `.crm` where the command runs. */
export const dataDirectory = (env: Readonly<Record<string, string | undefined>>): string =>
  env['CRM_DATA_DIR'] || '.crm';

/** The path of the demo file in a data directory. */
export const demoFilePath = (directory: string): string => join(directory, 'demo.json');

/**
 * Reads the demo file.
 *
 * @returns `undefined` when there is none.
 * @throws CliError when it is damaged.
 */
export const readDemoFile = (directory: string): Promise<DemoFile | undefined> => readDemo(demoFilePath(directory));

const readDemo = async (path: string): Promise<DemoFile | undefined> => {
  try {
    const value: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (isDemoFile(value)) return value;
    throw new CliError(`${path} is incomplete; delete it and run npm start.`);
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw error instanceof CliError ? error : new CliError(`${path} cannot be read: ${errorText(error)}`);
  }
};

const isDemoFile = (value: unknown): value is DemoFile =>
  typeof value === 'object' && value !== null && keys.every((key) => typeof Reflect.get(value, key) === 'string');

/**
 * Publishes the demo file while the stack runs. At other times it is kept under another name, because the plain text of
 * the key is nowhere else: so the key may be used by anyone who can read the file.
 */
export class DemoFileKeeper {
  readonly #directory: string;

  constructor(directory: string) {
    this.#directory = directory;
  }

  /** Takes the file of this run, or of one that was killed, out of sight. Answers the last one that there is. */
  async takeAway(): Promise<DemoFile | undefined> {
    try {
      await rename(demoFilePath(this.#directory), this.#keptPath);
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') throw error;
    }
    return readDemo(this.#keptPath);
  }

  /** Writes the file whole or not at all, readable by its owner only. */
  async publish(demo: DemoFile): Promise<void> {
    const temporary = `${demoFilePath(this.#directory)}.tmp`;
    await rm(temporary, { force: true });
    await writeFile(temporary, `${JSON.stringify(demo, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
    await rename(temporary, demoFilePath(this.#directory));
    await rm(this.#keptPath, { force: true });
  }

  get #keptPath(): string {
    return join(this.#directory, 'demo.stopped.json');
  }
}
