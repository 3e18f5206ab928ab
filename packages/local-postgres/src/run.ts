import { execFile, spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { promisify } from 'node:util';

import type { Command } from './server-user.js';

/** The environment is almost empty, so that PostgreSQL's variables (PGPORT, PGDATA) do not leak in. */
function settingsOf({ uid, gid }: Command) {
  return { uid, gid, cwd: '/', env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' } };
}

/**
 * Starts a program in its own session, so that Ctrl-C in a terminal only reaches this process, which can then shut down
 * in order.
 */
export function spawnCommand(command: Command, stdio: StdioOptions): ChildProcess {
  return spawn(command.file, command.args, { ...settingsOf(command), stdio, detached: true });
}

/** Runs a program to its end. @throws with its output if it fails. */
export async function runCommand(command: Command): Promise<void> {
  await promisify(execFile)(command.file, command.args, settingsOf(command));
}
