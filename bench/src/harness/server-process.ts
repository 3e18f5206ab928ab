import { open } from 'node:fs/promises';
import { resolve } from 'node:path';
import { findFreePort, isOk, startProgram } from '@crm/testing';
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
  const url = `http://127.0.0.1:${port}`;
  const log = await open(resolve(benchFolder, `${name}.log`), 'w', 0o600);
  const own = { PATH: process.env['PATH'], HOST: '127.0.0.1', PORT: String(port), NODE_ENV: 'production' };
  const program = await startProgram([process.execPath, script], () => isOk(`${url}${readyPath}`), {
    env: { ...own, ...environment },
    stdio: ['ignore', log.fd, log.fd],
  });
  await log.close();
  return { url, stop: () => program.stop() };
};
