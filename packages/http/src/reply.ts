import type { OperationContract } from '@crm/contract';
import type { Response } from 'express';
import { exchangeOf } from './exchange.js';
import { JsonText, type OperationReply } from './operation.js';

/** Response headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** The setting of an Express app that says it is shutting down. */
export const drainingSetting = 'draining';

const standingHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };

/** Writes a finished response. Head and text leave in one write; Express's `send` would hash and inspect the text first. */
export const sendText = (
  response: Response,
  status: number,
  contentType: string,
  text: string | Buffer,
  headers?: Headers,
): void => {
  if (response.app.enabled(drainingSetting)) response.shouldKeepAlive = false;
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text),
    ...standingHeaders,
    ...exchangeOf(response.req).headers,
    ...headers,
  });
  response.end(text);
};

/** Writes a finished JSON text. */
export const sendJson = (response: Response, status: number, json: string, headers?: Headers): void => {
  sendText(response, status, 'application/json; charset=utf-8', json, headers);
};

/** The envelope of a success as text. Data that is already JSON is spliced in, never parsed. */
export const successBody = (reply: OperationReply<OperationContract>): string => {
  const data = reply.data instanceof JsonText ? reply.data.text : JSON.stringify(reply.data);
  let text = `{"success":true,"message":${JSON.stringify(reply.message)},"data":${data}`;
  for (const [name, value] of Object.entries(reply.extra ?? {})) {
    if (value !== undefined) text += `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return `${text}}`;
};
