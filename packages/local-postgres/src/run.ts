import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';

import type { Command } from './server-user.js';

/**
 * Starts a program in its own session, so that Ctrl-C in a terminal only reaches this process, which can then shut down
 * in order. The environment is almost empty, so that PostgreSQL's variables (PGPORT, PGDATA) do not leak in.
 */
export function spawnCommand(command: Command, stdio: StdioOptions): ChildProcess {
  const { file, args, uid, gid } = command;
  return spawn(file, args, {
    stdio,
    detached: true,
    cwd: '/',
    env: { PATH: process.env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    ...(uid === undefined ? {} : { uid }),
    ...(gid === undefined ? {} : { gid }),
  });
}

/** Runs a program to its end. @throws with its output if it fails. */
export async function runCommand(command: Command): Promise<void> {
  const child = spawnCommand(command, ['ignore', 'pipe', 'pipe']);
  let output = '';
  const collect = (chunk: Buffer): void => {
    output += chunk.toString('utf8');
  };
  child.stdout?.on('data', collect);
  child.stderr?.on('data', collect);
  const code = await new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  if (code !== 0) throw new Error(`${[command.file, ...command.args].join(' ')} failed:\n${output.trim()}`);
}
