import { createServer } from 'node:http';
import type { Logger } from 'pino';
import { listen } from '../../server/listen.js';

/** Metrics as text. */
export interface RenderedMetrics {
  readonly contentType: string;
  render(): Promise<string>;
}

/** Where the admin server listens and what it shows. */
interface AdminServerOptions {
  readonly host: string;
  readonly port: number;
  readonly metrics: RenderedMetrics;
  readonly logger: Logger;
}

/**
 * Serves `/metrics` apart from the API, without keys: every caller that reaches the port may read it. @returns a
 * function that closes it
 * @throws Error that names the port, if it is taken or not allowed.
 */
export const startAdminServer = async (options: AdminServerOptions): Promise<() => Promise<void>> => {
  const { metrics, logger } = options;
  const server = createServer((request, response) => {
    if (request.method !== 'GET' || request.url?.split('?')[0] !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.render().then(
      (text) => response.writeHead(200, { 'Content-Type': metrics.contentType }).end(text),
      (error: unknown) => {
        logger.error({ err: error }, 'the metrics could not be read');
        response.writeHead(500).end();
      },
    );
  });
  await listen(server, options);
  return () =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
};
