import { pino } from 'pino';
import { startServer, type RunningServer, type ServerOptions } from '../src/index.js';
import type { TestGateway } from './support.js';

/** Serves a test gateway on a free port while `use` runs. */
export const withServer = async (
  gateway: TestGateway,
  use: (running: RunningServer) => Promise<void>,
  options: Partial<ServerOptions> = {},
): Promise<void> => {
  const logger = pino({ level: 'info' }, { write: (text: string) => void gateway.lines.push(text) });
  const running = await startServer(gateway.app, {
    host: '127.0.0.1',
    port: 0,
    logger,
    handleSignals: false,
    shutdownTimeoutMs: 3000,
    ...options,
  });
  try {
    await use(running);
  } finally {
    running.server.closeAllConnections();
    await running.stop();
  }
};
