import { randomBytes } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';

import { portProblem } from '@crm/domain';

import { CliError, configurationError, ifThere } from '../errors.js';
import { parseJsonObject } from '../json-object.js';
import { dataDirectory, writePrivateFile } from './demo-file.js';
import { processKinds, type ProcessName } from './stack-process.js';

/** The settings of the local stack. */
export interface StackSettings {
  /** An absolute path, which child processes in other working directories can use. */
  readonly directory: string;
  readonly ports: Readonly<Record<ProcessName, number>>;
}

/**
 * Reads `CRM_DATA_DIR` and the port of each process; nothing is required.
 *
 * @throws CliError (78) that names every variable at fault.
 */
export const readStackSettings = (env: Readonly<Record<string, string | undefined>>): StackSettings => {
  const problems: string[] = [];
  const taken = new Map<number, string>();
  const ports = processKinds.map(({ name, portVariable, defaultPort }) => {
    const text = env[portVariable] ?? '';
    const port = text === '' ? defaultPort : /^\d{1,5}$/.test(text) ? Number(text) : 0;
    const other = taken.get(port);
    if (port < 1 || port > 65_535) problems.push(`${portVariable} must be a port from 1 to 65535`);
    else if (portProblem(port) !== null) problems.push(`${portVariable} ${portProblem(port)}`);
    else if (other !== undefined) problems.push(`${other} and ${portVariable} must differ; both are ${port}`);
    taken.set(port, portVariable);
    return [name, port] as const;
  });
  if (problems.length > 0) throw configurationError(problems.join('\n'));
  return { directory: resolve(dataDirectory(env)), ports: Object.fromEntries(ports) as Record<ProcessName, number> };
};

/**
 * State that the stack keeps between starts. Its secrets never change, so cursors stay valid and the database accepts
 * the password.
 */
export interface StackState {
  readonly databasePassword: string;
  readonly cursorSecret: string;
  /** 32 bytes in base64. */
  readonly webhookSecretKey: string;
  /** Whether the demo organization is complete. Later starts keep the changes of users, also a deleted deal. */
  readonly hasDemoDeals: boolean;
}

const statePath = (directory: string): string => join(directory, 'state.json');
const newSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Reads the state. The first start creates it.
 *
 * @throws CliError if it is damaged.
 */
export const openStackState = async (directory: string): Promise<StackState> => {
  const text = await ifThere(readFile(statePath(directory), 'utf8'));
  if (text === undefined) {
    const [databasePassword, cursorSecret, webhookSecretKey] = [newSecret(), newSecret(), newSecret()];
    const state = { databasePassword, cursorSecret, webhookSecretKey, hasDemoDeals: false };
    await saveStackState(directory, state);
    return state;
  }
  const value: Partial<StackState> = parseJsonObject(text);
  if (isState(value)) return value;
  throw new CliError(
    `${statePath(directory)} is damaged, or of another version: see docs/how-to/upgrade.md. To start with an empty database, move ${directory} away.`,
  );
};

/** Writes the state. */
export const saveStackState = (directory: string, state: StackState): Promise<void> =>
  writePrivateFile(statePath(directory), JSON.stringify(state));

const isState = (value: Partial<StackState>): value is StackState =>
  typeof value.databasePassword === 'string' &&
  typeof value.cursorSecret === 'string' &&
  typeof value.webhookSecretKey === 'string' &&
  typeof value.hasDemoDeals === 'boolean';
