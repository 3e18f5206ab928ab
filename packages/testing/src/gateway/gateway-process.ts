import { spawn, type ChildProcess } from 'node:child_process';

import { endProgram, isOk, waitForProgram } from '../program.js';
import { findFreePort } from './free-port.js';

/** A gateway in a separate process. */
export interface GatewayProcess {
  /** Without a trailing slash. */
  readonly url: string;
  readonly child: ChildProcess;
  /** Everything it has written to standard output and standard error so far. */
  output(): string;
  /** Asks it to stop and waits until it has ended. @returns its exit code, or null if a signal ended it */
  stop(): Promise<number | null>;
}

/** The page that must be 200 before a gateway counts as started. */
type HealthPage = '/livez' | '/readyz';

/**
 * Starts a built gateway as users do, with `node dist/main.js`, and waits until it is ready.
 * @param mainFile its `dist/main.js`
 * @param environment its whole configuration except `HOST`; `PORT` is by default a free one
 * @param page `/livez` for a gateway that is expected to wait before it is ready
 */
export const startGatewayProcess = async (
  mainFile: string,
  environment: Readonly<Record<string, string>>,
  page: HealthPage = '/readyz',
): Promise<GatewayProcess> => {
  const port = Number(environment['PORT'] ?? (await findFreePort()));
  const child = spawn(process.execPath, [mainFile], {
    env: {
      PATH: process.env['PATH'],
      HOST: '127.0.0.1',
      PORT: String(port),
      // The tests' server flushes nothing to disk, which the inbound gateway refuses by default.
      ALLOW_UNSAFE_DURABILITY: '1',
      // The machine may be busy with other tests, which must not count as overload.
      MAX_EVENT_LOOP_DELAY_MS: '60000',
      ...environment,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const url = `http://127.0.0.1:${port}`;
  try {
    await waitForProgram(
      'The gateway',
      child,
      () => isOk(`${url}${page}`),
      () => output,
    );
  } catch (error) {
    await endProgram(child, 'SIGTERM');
    // Another program took the port meanwhile: only tests respect reservations.
    if (output.includes(`Port ${port} on 127.0.0.1 is already in use`)) {
      return startGatewayProcess(mainFile, environment, page);
    }
    throw error;
  }
  return { url, child, output: () => output, stop: () => endProgram(child, 'SIGTERM') };
};

/** Starts several processes of the same gateway at once, as behind a balancer. */
export const startGatewayProcesses = (
  count: number,
  mainFile: string,
  environment: Readonly<Record<string, string>>,
): Promise<GatewayProcess[]> =>
  Promise.all(Array.from({ length: count }, () => startGatewayProcess(mainFile, environment)));
