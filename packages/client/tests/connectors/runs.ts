import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

/** The end of a run of a connector. */
export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A running connector. */
export interface Running {
  readonly ended: Promise<Run>;
  kill(): Promise<void>;
}

/** Starts a program with only these variables of the environment. */
export const startRun = (
  file: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Running => {
  const env = { PATH: process.env['PATH'] ?? '', HOME: options.cwd, ...options.env };
  const child: ChildProcess = spawn(file, args, { cwd: options.cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
  const streams = [child.stdout, child.stderr].map((stream) => (stream === null ? Promise.resolve('') : text(stream)));
  const ended = Promise.all([once(child, 'close'), ...streams]).then(([, stdout = '', stderr = '']) => ({
    code: child.exitCode,
    stdout,
    stderr,
  }));
  return {
    ended,
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
};
