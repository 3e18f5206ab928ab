import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { open, readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from './free-port.js';

/** A server in a separate process. */
export interface ServerProcess {
  /** Without a trailing slash. */
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

/** The options of {@link startServerProcess}. */
interface ServerProcessOptions {
  /** The script to run, with Node or with `command`. */
  readonly script: string;
  readonly command?: string;
  readonly environment: Readonly<Record<string, string>>;
  /** The file for its output, as in production, where a supervisor stores it. */
  readonly logFile: string;
  /** A path that responds once the server is ready. */
  readonly readyPath: string;
  /** The variable that gets the port; default: `PORT`. */
  readonly portVariable?: string;
}

const startTimeoutMs = 60_000;
const pollEveryMs = 50;

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

const isReady = (url: string): Promise<boolean> =>
  fetch(url).then(
    async (response) => {
      await response.arrayBuffer();
      return response.status < 500;
    },
    () => false,
  );

const stop = async (child: ChildProcess): Promise<void> => {
  running.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  await exited;
};

const waitUntilReady = async (child: ChildProcess, url: string, logFile: string): Promise<void> => {
  const deadline = performance.now() + startTimeoutMs;
  while (!(await isReady(url))) {
    if (child.exitCode !== null || performance.now() > deadline) {
      await stop(child);
      throw new Error(`${url} does not answer:\n${(await readFile(logFile, 'utf8')).slice(-2_000)}`);
    }
    await sleep(pollEveryMs);
  }
};

/** Starts a server on a free port, and waits until it answers. It ends with this process. */
export const startServerProcess = async (options: ServerProcessOptions): Promise<ServerProcess> => {
  const { script, command = process.execPath, environment, logFile, readyPath, portVariable = 'PORT' } = options;
  const port = await findFreePort();
  const log = await open(logFile, 'w', 0o600);
  const child = spawn(command, [script], {
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      [portVariable]: String(port),
      NODE_ENV: 'production',
      ...environment,
    },
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  running.add(child);
  const url = `http://127.0.0.1:${port}`;
  await waitUntilReady(child, `${url}${readyPath}`, logFile);
  return { url, pid: child.pid ?? 0, stop: () => stop(child) };
};
