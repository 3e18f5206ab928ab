import type { Server } from 'node:http';
import type { Express } from 'express';
import type { Logger } from 'pino';

/** Where and how long to serve. */
export interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger: Logger;
  /** Time for requests in work to end after a stop was asked for, 15,000 ms when absent. */
  readonly shutdownTimeoutMs?: number | undefined;
  /** Called once when the last request has ended, to close pools; given 3 seconds. */
  readonly onStopped?: (() => Promise<void> | void) | undefined;
  /** Stop on SIGTERM and SIGINT and exit with code 0; true when absent. */
  readonly handleSignals?: boolean | undefined;
}

/** A gateway that listens. */
export interface RunningServer {
  readonly server: Server;
  /** The port in use, also where 0 was asked for. */
  readonly port: number;
  /** `http://host:port`, without a trailing slash. */
  readonly url: string;
  /** Stops gracefully; the same promise for every call. */
  stop(): Promise<void>;
}

/**
 * Listens with the app.
 * @throws Error naming the port when it is taken or not allowed.
 */
export const startServer = (app: Express, options: ServerOptions): Promise<RunningServer> => {
  void app;
  return Promise.reject(new Error(`not yet: ${options.port}`));
};
