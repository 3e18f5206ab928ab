import { fileURLToPath } from 'node:url';
import { isOk, type Program, startProgram } from '../program.js';
import { findFreePort } from './free-port.js';

/** The programs that tests start with {@link startGatewayProcess}. */
type App = 'read-gateway' | 'inbound-gateway' | 'webhook-worker';

/** A gateway in a separate process. */
export interface GatewayProcess extends Program {
  /** Without a trailing slash. */
  readonly url: string;
}

/** The page that must be 200 before a gateway counts as started. */
type HealthPage = '/livez' | '/readyz';

/**
 * Starts a built gateway as users do, with `node dist/main.js`, and waits until it is ready.
 * @param environment its whole configuration except `HOST`; `PORT` is by default a free one
 * @param page `/livez` for a gateway that is expected to wait before it is ready
 */
export const startGatewayProcess = async (
  app: App,
  environment: Readonly<Record<string, string>>,
  page: HealthPage = '/readyz',
): Promise<GatewayProcess> => {
  const port = Number(environment['PORT'] ?? (await findFreePort()));
  const url = `http://127.0.0.1:${port}`;
  const env = {
    PATH: process.env['PATH'],
    HOST: '127.0.0.1',
    PORT: String(port),
    // The tests' server flushes nothing to disk, which the inbound gateway refuses by default.
    ALLOW_UNSAFE_DURABILITY: '1',
    // The machine may be busy with other tests, which must not count as overload.
    MAX_EVENT_LOOP_DELAY_MS: '60000',
    ...environment,
  };
  try {
    const mainFile = fileURLToPath(new URL(`../../../../apps/${app}/dist/main.js`, import.meta.url));
    const program = await startProgram([process.execPath, mainFile], () => isOk(`${url}${page}`), { env });
    return { ...program, url };
  } catch (error) {
    // Another program took the port meanwhile: only tests respect reservations.
    if (!String(error).includes(`Port ${port} on 127.0.0.1 is already in use`)) throw error;
    return startGatewayProcess(app, environment, page);
  }
};
