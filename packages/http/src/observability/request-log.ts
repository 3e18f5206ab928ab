import { randomUUID } from 'node:crypto';
import { ApiError } from '@crm/domain';
import type { RequestHandler, Request, Response } from 'express';
import type { Logger } from 'pino';
import { Exchange, exchangeOf, setExchange } from '../exchange.js';
import type { GatewayActivity } from './metrics/activity.js';
import type { OutageLog } from './outage-log.js';
import type { RouteMatch } from '../server/route-table.js';

/**
 * Also the ids that balancers make: `7F000001:C3A8_0A000001:01BB_6926E0A1_0003:0B2C` (HAProxy), `6c4b…-…#17` (Kong),
 * `Root=1-67891233-abcdef` (AWS). No comma, because a header that was sent twice arrives joined by one, and no `@`, because the log has
 * no email addresses.
 */
const wellFormedRequestId = /^[A-Za-z0-9._:#=+/-]{8,128}$/;
/** The logged status if the client hung up before the response; never sent. */
const clientGoneStatus = 499;

/**
 * The caller's request id if it is well-formed, else a new one. A header sent twice arrives joined and is not
 * well-formed.
 */
const requestIdOf = (header: string | string[] | undefined): string =>
  typeof header === 'string' && wellFormedRequestId.test(header) ? header : randomUUID();

const unreserved = /^[A-Za-z0-9._~-]$/;

/**
 * The path with its unreserved characters unescaped: RFC 9110 and 3986 make `/v1/%61ccounts` another spelling of `/v1/accounts`.
 * Other escapes stay, because `%2F` is not a slash between segments.
 */
const unescapeUnreserved = (path: string): string =>
  path.replace(/%[0-9a-f]{2}/gi, (escape) => {
    const character = String.fromCharCode(Number.parseInt(escape.slice(1), 16));
    return unreserved.test(character) ? character : escape;
  });

/** Path and query of a request target, in origin form or in the absolute form that proxies send. */
const splitTarget = (target: string): { readonly path: string; readonly queryText: string } => {
  const origin = target.startsWith('/') ? target : target.replace(/^https?:\/\/[^/?#]*/i, '');
  const mark = origin.indexOf('?');
  const path = mark === -1 ? origin : origin.slice(0, mark);
  const queryText = mark === -1 ? '' : origin.slice(mark + 1);
  return { path: path.includes('%') ? unescapeUnreserved(path) : path, queryText };
};

/** The template of the route, for logs and traces: the path itself may contain anything. */
export const templateOf = (match: RouteMatch | undefined): string | undefined => {
  if (match?.kind === 'found') return match.route.contract.path;
  return match?.kind === 'wrong-method' ? match.template : undefined;
};

/** The operation's name, for counting. All unknown paths share one name, because there can be any number of them. */
export const operationOf = (match: RouteMatch | undefined): string =>
  match?.kind === 'found' ? match.route.contract.id : 'none';

/** The status under which a finished request is counted. */
export const statusOf = (response: Response): number =>
  response.writableFinished || response.headersSent ? response.statusCode : clientGoneStatus;

/** Whether the request is a poll. Lines for polls would fill the log. */
const isHealthCheck = ({ path }: Exchange): boolean => path === '/livez' || path === '/readyz';

/** Whether a 503 has no error to log. Metrics count overload, and the start-up checks log what they wait for. */
const hasNoCause = (failure: unknown): boolean =>
  failure instanceof ApiError && failure.code === 'unavailable' && failure.cause === undefined;

const writeLine = (
  logger: Logger,
  outage: OutageLog,
  request: Request,
  response: Response,
  durationMs: number,
): void => {
  const exchange = exchangeOf(request);
  const { failure } = exchange;
  const needsNoError = failure === undefined || hasNoCause(failure) || outage.recordIfOutage(failure);
  if (exchange.match?.kind === 'found' && response.statusCode < 400) outage.noteSuccess();
  const cutOff = !response.writableFinished;
  const line = {
    method: request.method,
    route: templateOf(exchange.match),
    status: statusOf(response),
    duration_ms: Math.round(durationMs * 100) / 100,
    ...(exchange.waitedMs === 0 ? {} : { waited_ms: Math.round(exchange.waitedMs) }),
    request_id: exchange.requestId,
    trace_id: exchange.traceId,
    organization_id: exchange.apiKey?.organizationId,
    api_key_id: exchange.apiKey?.id,
    ...(cutOff ? { cut_off: true } : {}),
    ...(needsNoError ? {} : { err: failure }),
  };
  if (!needsNoError) logger.error(line, 'request');
  else if (isHealthCheck(exchange)) logger.debug(line, 'request');
  else logger.info(line, 'request');
};

/**
 * Calls `end` once the caller has the response or is gone. The connection is watched too, because Node does not report
 * its close for a response that waits for an earlier one.
 */
const whenClosed = (request: Request, response: Response, end: () => void): void => {
  if (response.socket !== null) {
    response.once('close', end);
    return;
  }
  const { socket } = request;
  const onClose = (): void => {
    response.off('close', onClose);
    socket.off('close', onClose);
    end();
  };
  // One listener per waiting response, so there may be many.
  socket.setMaxListeners(0);
  socket.once('close', onClose);
  response.once('close', onClose);
};

/**
 * The first middleware: gives the request its id and adds it to the response. When the response is over, writes one log
 * line and counts the request. Health checks are logged at the level debug. Of the headers, only a well-formed
 * `X-Request-Id` and the trace id of a `traceparent` get into the line. Query text and bodies never do.
 */
export const beginExchange =
  (logger: Logger, activity: GatewayActivity, outage: OutageLog): RequestHandler =>
  (request, response, next) => {
    const { path, queryText } = splitTarget(request.url);
    const exchange = new Exchange(requestIdOf(request.headers['x-request-id']), path, queryText);
    setExchange(request, exchange);
    exchange.headers['X-Request-Id'] = exchange.requestId;
    whenClosed(request, response, () => {
      const durationMs = performance.now() - exchange.startedAtMs;
      // Ends a running wait, so that its duration is known.
      exchange.close();
      writeLine(logger, outage, request, response, durationMs);
      // A long poll is not a slow answer.
      activity.onRequest?.(operationOf(exchange.match), statusOf(response), durationMs - exchange.waitedMs);
    });
    next();
  };
