import type { Server } from 'node:http';

/** How long a server waits, in milliseconds: the gateways and the admin ports. */
export const defaultTimeouts = {
  /** For a whole request to arrive; then 408. */
  requestTimeoutMs: 15_000,
  /** For the headers of a request to arrive; then 408. */
  headersTimeoutMs: 10_000,
  /** For the caller to read a finished response; then the connection is cut. */
  answerTimeoutMs: 30_000,
  /** For the caller to read at least a part of a response. The connection is cut after at most twice this time. */
  answerStallMs: 10_000,
  /**
   * Before it closes an idle connection. Longer than the 60 s of common balancers: the balancer must close it first, or
   * it may send into a closed one.
   */
  keepAliveTimeoutMs: 65_000,
  /** Between the first failing `/readyz` of a shutdown and the end of the listener: time for balancers to notice. */
  shutdownDelayMs: 0,
  /** For running requests to end during a shutdown, after that delay. */
  shutdownTimeoutMs: 15_000,
};

/** See {@link defaultTimeouts}. */
export type Timeouts = typeof defaultTimeouts;

const checkTimeoutsEveryMs = 1_000;
const maxHeaderBytes = 16 * 1024;

/** The options of Node's server that keep slow and idle callers from holding connections. */
export const connectionLimits = ({ requestTimeoutMs, headersTimeoutMs, keepAliveTimeoutMs }: Timeouts) => ({
  requestTimeout: requestTimeoutMs,
  headersTimeout: headersTimeoutMs,
  keepAliveTimeout: keepAliveTimeoutMs,
  connectionsCheckingInterval: checkTimeoutsEveryMs,
  maxHeaderSize: maxHeaderBytes,
});

/**
 * Cuts connections whose caller stops reading a response or reads it too slowly: unread responses hold memory and count
 * as running requests.
 */
export const limitTimeToTakeAnswers = (server: Server, { answerTimeoutMs, answerStallMs }: Timeouts): void => {
  server.prependListener('request', (_request, response) => {
    response.once('prefinish', () => {
      // Nothing listens to the timeout, so Node destroys the connection. Before that, Node checks whether the caller
      // has read any bytes since the last check.
      response.setTimeout(answerStallMs);
      const timer = setTimeout(() => response.destroy(), answerTimeoutMs).unref();
      response.once('close', () => clearTimeout(timer));
    });
  });
};
