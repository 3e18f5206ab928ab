import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { endProgram, findFreePort, isOk, waitForProgram } from '@crm/testing';
import { benchFolder } from '../bench-server.js';

/** A server in a separate process. */
export interface ServerProcess {
  /** Without a trailing slash. */
  readonly url: string;
  stop(): Promise<unknown>;
}

/**
 * Starts a script with Node on a free port, and waits until it answers. It ends with this process.
 * @param name - of its log file: a process in production writes to a file, too
 * @param readyPath - a path that is 200 once the server is ready
 */
export const startServerProcess = async (
  name: string,
  script: string,
  environment: Readonly<Record<string, string>>,
  readyPath: string,
): Promise<ServerProcess> => {
  const port = await findFreePort();
  const logFile = resolve(benchFolder, `${name}.log`);
  const log = await open(logFile, 'w', 0o600);
  const own = { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: String(port), NODE_ENV: 'production' };
  const stdio = ['ignore' as const, log.fd, log.fd];
  const child = spawn(process.execPath, [script], { env: { ...own, ...environment }, stdio });
  await log.close();
  process.once('exit', () => child.kill('SIGKILL'));
  const url = `http://127.0.0.1:${port}`;
  const isReady = () => isOk(`${url}${readyPath}`);
  await waitForProgram(name, child, isReady, () => readFileSync(logFile, 'utf8').slice(-2_000));
  return { url, stop: () => endProgram(child, 'SIGTERM') };
};
