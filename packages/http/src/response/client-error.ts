import { randomUUID } from 'node:crypto';
import { STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { errorCatalogue, type ErrorCode } from '@crm/domain';
import type { Logger } from 'pino';
import { errorBody } from './errors.js';
import { exchangeOf } from '../exchange.js';

const codeByNodeCode: Readonly<Record<string, ErrorCode>> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  HPE_CHUNK_EXTENSIONS_OVERFLOW: 'payload_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

/** A 405 must say what is allowed. `CONNECT` asks for a tunnel to a host, not for a path, so these are the methods of all paths. */
const allowHeader: Readonly<Partial<Record<ErrorCode, string>>> = {
  method_not_allowed: 'Allow: GET, HEAD, POST, PATCH, DELETE',
};

/** Texts for what Node refuses, if they can say what to do. */
const textByNodeCode: Readonly<Record<string, string>> = {
  HPE_INVALID_URL:
    'The address has a character that must be percent-encoded as UTF-8: send é as %C3%A9 and a space as %20',
};

/** The whole response, with its head, to input that Node could not parse as a request. */
const rawAnswer = (code: ErrorCode, requestId: string, message?: string): string => {
  const body = errorBody(code, message);
  const { status } = errorCatalogue[code];
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    ...(allowHeader[code] === undefined ? [] : [allowHeader[code]]),
    `X-Request-Id: ${requestId}`,
    `Date: ${new Date().toUTCString()}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
};

/** Answers a request whose body broke off. The app still waits for the body and logs the request. */
const answerUnderway = (response: ServerResponse, code: ErrorCode): void => {
  const body = errorBody(code);
  response.shouldKeepAlive = false;
  response.writeHead(errorCatalogue[code].status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(body),
    'Cache-Control': 'no-store',
    ...exchangeOf(response.req).headers,
  });
  response.end(body);
};

/** Whether the response no longer depends on further input: the request has arrived in full, or its operation runs. */
const isSettled = ({ req }: ServerResponse): boolean => req.complete || exchangeOf(req).input !== undefined;

/**
 * Answers, in the envelope, requests that Node rejects: broken requests, headers that are too large or too slow, bodies
 * that do not arrive in time, `CONNECT`. Each gets a log line, like every request. Earlier requests on the connection
 * are answered first: a committed create must not get 400 because of garbage after it.
 * @param underway - the response to the last request of each connection
 */
export const answerClientErrors = (
  server: Server,
  logger: Logger,
  underway: Pick<WeakMap<Duplex, ServerResponse>, 'get'>,
): void => {
  const refused = new WeakSet<Duplex>();
  const refuse = (socket: Duplex, code: ErrorCode, message?: string): void => {
    const response = underway.get(socket);
    const isOpen = response !== undefined && !response.writableFinished;
    // The request was answered before its body had arrived. The client would take a second response for the response to
    // its next request.
    const isAnswered = response?.writableFinished === true && !response.req.complete;
    if (!socket.writable || isAnswered) socket.destroy();
    else if (isOpen && isSettled(response)) response.once('close', () => refuse(socket, code, message));
    // A response is already under way, so no other can be sent.
    else if (isOpen && response.headersSent) socket.destroy();
    else if (isOpen) answerUnderway(response, code);
    else {
      const requestId = randomUUID();
      logger.info({ status: errorCatalogue[code].status, request_id: requestId }, 'request');
      socket.end(rawAnswer(code, requestId, message), () => socket.destroy());
    }
  };
  server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
    if (error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    // Node emits this event again for further data of a broken connection.
    if (refused.has(socket)) return;
    refused.add(socket);
    const { code = '' } = error;
    refuse(socket, codeByNodeCode[code] ?? 'bad_request', textByNodeCode[code]);
  });
  server.on('connect', (_request, socket) => refuse(socket, 'method_not_allowed'));
};
