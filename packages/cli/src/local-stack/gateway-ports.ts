import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

import { CliError, errorCode } from '../errors.js';
import { portVariables, type StackSettings } from './settings.js';

/** The gateways accept connections only from this machine, because the demo's key is printed on the screen. */
export const gatewayHost = '127.0.0.1';

const pollIntervalMs = 100;

/**
 * Checks that the ports of both gateways are free.
 *
 * @param patienceMs - how long to wait for them; after a kill, the previous gateways may still be shutting down
 * @throws CliError that names the port and the variable that changes it.
 */
export const checkGatewayPorts = async (settings: StackSettings, patienceMs: number): Promise<void> => {
  const deadlineMs = performance.now() + patienceMs;
  for (const gateway of ['read', 'inbound'] as const) {
    const port = gateway === 'read' ? settings.readPort : settings.inboundPort;
    let problem = await listenProblem(port);
    while (problem === 'EADDRINUSE' && performance.now() < deadlineMs) {
      await sleep(pollIntervalMs);
      problem = await listenProblem(port);
    }
    if (problem === undefined) continue;
    const why = problem === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${problem})`;
    throw new CliError(
      `Port ${port}, for the ${gateway} gateway, ${why}. Choose another one: ${portVariables[gateway]}=${port + 100} npm start`,
    );
  }
};

const listenProblem = (port: number): Promise<string | undefined> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', (error) => done(errorCode(error) ?? error.message));
    server.listen({ port, host: gatewayHost, exclusive: true }, () => server.close(() => done(undefined)));
  });
