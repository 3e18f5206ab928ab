import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CliError, errorCode } from '../errors.js';

/** What the stack remembers between starts. The secrets are made once: cursors stay valid, and the database opens. */
export interface StackState {
  readonly databasePassword: string;
  readonly cursorSecret: string;
  /** Whether the demo deals were created; they are not created again, so that deleting one lasts. */
  readonly hasDemoDeals: boolean;
}

const statePath = (directory: string): string => join(directory, 'state.json');
const newSecret = (): string => randomBytes(32).toString('base64url');

/**
 * Reads the state, making it at the first start.
 *
 * @throws CliError when it is damaged.
 */
export const openStackState = async (directory: string): Promise<StackState> => {
  try {
    const value: unknown = JSON.parse(await readFile(statePath(directory), 'utf8'));
    if (isState(value)) return value;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') {
      const state = { databasePassword: newSecret(), cursorSecret: newSecret(), hasDemoDeals: false };
      await saveStackState(directory, state);
      return state;
    }
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new CliError(`${statePath(directory)} is damaged. Delete ${directory} to start afresh; its data is lost then.`);
};

/** Writes the state whole or not at all, readable by its owner only. */
export const saveStackState = async (directory: string, state: StackState): Promise<void> => {
  const temporary = `${statePath(directory)}.tmp`;
  await writeFile(temporary, JSON.stringify(state), { mode: 0o600 });
  await rename(temporary, statePath(directory));
};

const isState = (value: unknown): value is StackState =>
  typeof value === 'object' &&
  value !== null &&
  typeof Reflect.get(value, 'databasePassword') === 'string' &&
  typeof Reflect.get(value, 'cursorSecret') === 'string' &&
  typeof Reflect.get(value, 'hasDemoDeals') === 'boolean';
