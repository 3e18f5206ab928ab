import { createServer, type Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { answerClientErrors } from './client-error.js';
import { listen } from './listen.js';
import { messageClassesOf } from './message-classes.js';
import { drainingSetting } from './reply.js';
import { stopOnSignals } from './signals.js';

/** Where and how long to serve. */
export interface ServerOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger: Logger;
  /** Time for a whole request to arrive, 15,000 ms when absent; 408 past it. */
  readonly requestTimeoutMs?: number | undefined;
  /** Time for the headers of a request to arrive, 10,000 ms when absent; 408 past it. */
  readonly headersTimeoutMs?: number | undefined;
  /** Time for the caller to take an answer that is finished, 30,000 ms when absent; then the connection is cut. */
  readonly answerTimeoutMs?: number | undefined;
  /** Time in which the caller must take some of it, 10,000 ms when absent; the connection is cut after at most twice this. */
  readonly answerStallMs?: number | undefined;
  /** Time for a connection on which nothing happens, 65,000 ms when absent; then it is closed. */
  readonly keepAliveTimeoutMs?: number | undefined;
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

const defaultRequestTimeoutMs = 15_000;
const defaultHeadersTimeoutMs = 10_000;
const defaultAnswerTimeoutMs = 30_000;
const defaultAnswerStallMs = 10_000;
/** Longer than the 60 s after which common balancers drop an idle connection: the side that sends must close first. */
const defaultKeepAliveTimeoutMs = 65_000;
const checkTimeoutsEveryMs = 1_000;
const maxHeaderBytes = 16 * 1024;
const defaultShutdownTimeoutMs = 15_000;
/** How long no request may come before a shutdown closes idle connections: one may be on its way on any of them. */
const idleGraceMs = 1_000;
const checkIdleEveryMs = 100;
const onStoppedTimeoutMs = 3_000;
/** How long a flood of new connections or requests may hold up a step of the shutdown. */
const quietTurnsTimeoutMs = 1_000;

/**
 * Cuts connections whose caller takes no more of an answer, or takes too long for all of it: answers that wait hold memory and a
 * place among the requests in work.
 */
const limitTimeToTakeAnswers = (server: Server, { answerTimeoutMs, answerStallMs }: ServerOptions): void => {
  server.prependListener('request', (_request, response) => {
    response.once('prefinish', () => {
      // Without a listener Node destroys the connection. It looks whether bytes were taken since it looked last.
      response.setTimeout(answerStallMs ?? defaultAnswerStallMs);
      const timer = setTimeout(() => response.destroy(), answerTimeoutMs ?? defaultAnswerTimeoutMs).unref();
      response.once('close', () => clearTimeout(timer));
    });
  });
};

const createHttpServer = (app: Express, options: ServerOptions): Server => {
  const server = createServer(
    {
      requestTimeout: options.requestTimeoutMs ?? defaultRequestTimeoutMs,
      headersTimeout: options.headersTimeoutMs ?? defaultHeadersTimeoutMs,
      keepAliveTimeout: options.keepAliveTimeoutMs ?? defaultKeepAliveTimeoutMs,
      connectionsCheckingInterval: checkTimeoutsEveryMs,
      maxHeaderSize: maxHeaderBytes,
      // Node's own answer would be empty; the app answers in the envelope.
      requireHostHeader: false,
      ...messageClassesOf(app),
    },
    app,
  );
  // Node answers an unknown expectation with an empty 417; a server is free to ignore it instead.
  server.on('checkExpectation', (request, response) => server.emit('request', request, response));
  answerClientErrors(server, options.logger);
  limitTimeToTakeAnswers(server, options);
  return server;
};

/**
 * Calls `then` once two turns of the event loop have passed without the event. Every turn reads the sockets that have something
 * to read, but a timer runs before them: what has arrived by then would go unnoticed.
 */
const afterQuietTurns = (server: Server, event: 'connection' | 'request', then: () => void): void => {
  const lastTurnAtMs = performance.now() + quietTurnsTimeoutMs;
  let quietTurns = 0;
  const onEvent = (): void => {
    quietTurns = 0;
  };
  const check = (): void => {
    if (quietTurns < 2 && performance.now() < lastTurnAtMs) {
      quietTurns++;
      setImmediate(check);
      return;
    }
    server.off(event, onEvent);
    then();
  };
  server.on(event, onEvent);
  setImmediate(check);
};

/** Closes the listening socket; resolves when the last connection is gone. Connections stay as they are. */
const stopAccepting = (server: Server, app: Express): Promise<void> =>
  new Promise((resolve) => {
    // A closed listener resets connections that wait to be accepted, and Node accepts few in one turn of its event loop.
    afterQuietTurns(server, 'connection', () => {
      // The close of `http.Server` would also end idle connections at once, and with them requests already on their way.
      NetServer.prototype.close.call(server, () => resolve());
      // Only now do answers close their connections: clients that connect anew meet a closed port, not a closing one.
      app.enable(drainingSetting);
      // Requests that wait are answered now.
      app.emit(drainingSetting);
    });
  });

const withinMs = async (work: Promise<void>, timeoutMs: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<boolean>((resolve) => {
    timer = setTimeout(() => resolve(false), timeoutMs);
  });
  const done = await Promise.race([work.then(() => true), timeout]);
  clearTimeout(timer);
  return done;
};

/**
 * Closes idle connections once no request has come for a while. While requests still come, each of them closes its connection,
 * so the caller's pool empties by itself, and no connection is closed just when its caller uses it.
 * @returns stops it
 */
const closeIdleWhenQuiet = (server: Server): (() => void) => {
  let lastRequestAtMs = performance.now();
  const onRequest = (): void => {
    lastRequestAtMs = performance.now();
  };
  server.on('request', onRequest);
  const timer = setInterval(() => {
    if (performance.now() - lastRequestAtMs < idleGraceMs) return;
    // A connection with an unread request still counts as idle.
    afterQuietTurns(server, 'request', () => server.closeIdleConnections());
  }, checkIdleEveryMs);
  return () => {
    clearInterval(timer);
    server.off('request', onRequest);
  };
};

/**
 * No new connections; from here on the gateway is not ready and every answer closes its connection; idle connections are
 * closed when no more requests come; what is still in work when the time is up is cut off.
 */
const drain = async (server: Server, app: Express, options: ServerOptions): Promise<void> => {
  const { logger } = options;
  logger.info('shutting down');
  const closed = stopAccepting(server, app);
  const stopClosingIdle = closeIdleWhenQuiet(server);
  const finished = await withinMs(closed, options.shutdownTimeoutMs ?? defaultShutdownTimeoutMs);
  stopClosingIdle();
  if (!finished) {
    logger.warn('requests were still in work when the time to shut down was over');
    server.closeAllConnections();
  }
  // Its timer for timeouts ends with this close; the listener itself is closed already.
  server.close(() => undefined);
  const released = await withinMs(Promise.resolve(options.onStopped?.()), onStoppedTimeoutMs);
  if (!released) logger.warn('resources were not released in time');
  logger.info('stopped');
};

/**
 * Listens with the app, until SIGTERM or SIGINT or a call of `stop`.
 * @throws Error naming the port when it is taken or not allowed.
 */
export const startServer = async (app: Express, options: ServerOptions): Promise<RunningServer> => {
  const server = createHttpServer(app, options);
  const port = await listen(server, options);
  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => (stopping ??= drain(server, app, options));
  if (options.handleSignals ?? true) stopOnSignals(stop, options.logger);
  const host = options.host.includes(':') ? `[${options.host}]` : options.host;
  return { server, port, url: `http://${host}:${port}`, stop };
};
