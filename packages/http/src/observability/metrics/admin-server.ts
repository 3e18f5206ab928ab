import { createServer, type ServerResponse } from 'node:http';
import type { Logger } from 'pino';
import { listen } from '../../server/listen.js';
import { connectionLimits, defaultTimeouts, limitTimeToTakeAnswers, type Timeouts } from '../../server/timeouts.js';
import { NotReadyError } from '../../server/start-up.js';
import { within } from '../../within.js';

const readinessTimeoutMs = 2_000;

/** Metrics as text. */
export interface RenderedMetrics {
  readonly contentType: string;
  render(): Promise<string>;
}

/** Where the admin server listens and what it shows. Its timeouts are those of the gateways. */
interface AdminServerOptions extends Partial<Timeouts> {
  readonly host: string;
  readonly port: number;
  readonly metrics: RenderedMetrics;
  readonly logger: Logger;
  /** Checks that the process works. With it, the server also answers `/livez` and `/readyz`. */
  readonly readiness?: () => Promise<void>;
}

/**
 * Serves `/metrics` apart from the API, without keys: every caller that reaches the port may read it. @returns a
 * function that closes it
 * @throws Error that names the port, if it is taken or not allowed.
 */
export const startAdminServer = async (options: AdminServerOptions): Promise<() => Promise<void>> => {
  const { metrics, logger, readiness } = options;
  const pages: Readonly<Record<string, (response: ServerResponse) => Promise<unknown>>> = {
    '/metrics': (response) =>
      metrics.render().then(
        (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
        (error: unknown) => {
          logger.error({ err: error }, 'the metrics could not be read');
          response.writeHead(500).end();
        },
      ),
    ...(readiness && {
      '/livez': (response) => Promise.resolve(response.end('Alive')),
      '/readyz': (response) =>
        within(readiness(), readinessTimeoutMs).then(
          () => response.end('Ready'),
          (error: unknown) => {
            response.writeHead(503, { 'Retry-After': '1' });
            response.end(error instanceof NotReadyError ? error.message : 'Not ready');
          },
        ),
    }),
  };
  const timeouts = { ...defaultTimeouts, ...options };
  const server = createServer(connectionLimits(timeouts), (request, response) => {
    const page = request.method === 'GET' ? pages[request.url?.split('?')[0] ?? ''] : undefined;
    if (page === undefined) response.writeHead(404).end();
    else void page(response);
  });
  limitTimeToTakeAnswers(server, timeouts);
  await listen(server, options);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
};
