import { mkdir, readFile, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { CliError, ifThere } from '../errors.js';
import { parseJsonObject } from '../json-object.js';
import { privateMode } from '../private-mode.js';

/** What the key of the local stack may do: not change the set-up, and not delete. */
export const demoGroups: readonly string[] = ['list', 'search', 'inbound', 'bulk', 'webhooks'];

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

const usualDirectory = '.crm';

/** The directory of the local stack: `CRM_DATA_DIR`, or `.crm` in the current directory. */
export const dataDirectory = (env: Readonly<Record<string, string | undefined>>): string =>
  env['CRM_DATA_DIR'] || usualDirectory;

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
  const text = await ifThere(readFile(path, 'utf8'));
  if (text === undefined) return undefined;
  const value: Partial<DemoFile> = parseJsonObject(text);
  if (isDemoFile(value)) return value;
  throw new CliError(`${path} is damaged. Delete it and run crm start.`);
};

const isDemoFile = (value: Partial<DemoFile>): value is DemoFile => keys.every((key) => typeof value[key] === 'string');

const withdrawnPath = (directory: string): string => join(directory, 'demo.stopped.json');

/**
 * Renames the published file, if any, to `demo.stopped.json`. It is kept, because the plain text of the key is stored
 * nowhere else. Returns the contents of the renamed file, also if an earlier run renamed it.
 */
export const withdrawDemoFile = async (directory: string): Promise<DemoFile | undefined> => {
  const path = demoFilePath(directory);
  if (!(await removeLink(path))) await ifThere(rename(path, withdrawnPath(directory)));
  return readDemo(withdrawnPath(directory));
};

/** Writes a file atomically. Only its owner can read it. */
export const writePrivateFile = async (path: string, text: string): Promise<void> => {
  const temporary = `${path}.tmp`;
  await rm(temporary, { force: true });
  await writeFile(temporary, text, { mode: privateMode, flag: 'wx' });
  await rename(temporary, path);
};

/** Writes the demo file while the stack runs. */
export const publishDemoFile = async (directory: string, demo: DemoFile): Promise<void> => {
  await writePrivateFile(demoFilePath(directory), `${JSON.stringify(demo, null, 2)}\n`);
  await rm(withdrawnPath(directory), { force: true });
};

/** Removes a symbolic link, or only one that leads to `target`. @returns whether there was one */
const removeLink = async (path: string, target?: string): Promise<boolean> => {
  const found = await readlink(path).catch(() => undefined);
  if (found === undefined || (target ?? found) !== found) return false;
  await rm(path);
  return true;
};

/**
 * Links the file in `.crm`, so that commands without `CRM_DATA_DIR` find a stack with another data directory.
 *
 * @returns a function that removes the link; undefined if the stack of `.crm` runs, or there can be no link.
 */
export const linkDemoFile = async (
  directory: string,
  usual = usualDirectory,
): Promise<(() => Promise<unknown>) | undefined> => {
  const [path, target] = [demoFilePath(usual), resolve(demoFilePath(directory))];
  try {
    await mkdir(usual, { recursive: true });
    if (resolve(path) !== target) {
      await removeLink(path);
      await symlink(target, path);
    }
    return () => removeLink(path, target);
  } catch {
    return undefined;
  }
};
