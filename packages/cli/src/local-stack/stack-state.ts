import { randomBytes } from 'node:crypto';
import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

import { CliError, errorCode } from '../errors.js';

/**
 * State that the stack keeps between starts. Its secrets never change, so cursors stay valid and the database accepts
 * the password.
 */
export interface StackState {
  readonly databasePassword: string;
  readonly cursorSecret: string;
  /** Whether the demo deals were created. They are created only once, so that a deleted deal does not come back. */
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
  throw new CliError(`${statePath(directory)} is damaged. Delete ${directory} to start over. This loses its data.`);
};

/** Writes the state atomically. Only its owner can read it. */
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
