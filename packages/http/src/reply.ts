import type { OperationContract } from '@crm/contract';
import { toByteText } from '@crm/domain';
import type { Response } from 'express';
import { compress, contentCodingOf, minCompressedBytes } from './compression.js';
import { exchangeOf } from './exchange.js';
import { JsonBytes, JsonText, type OperationReply } from './operation.js';

/** Response headers by name. */
export type Headers = Readonly<Record<string, string>>;

/** How the characters of a body become bytes; `latin1` where each is a byte already. */
type BodyEncoding = 'utf8' | 'latin1';

/** The setting of an Express app that says it is shutting down. */
export const drainingSetting = 'draining';

const standingHeaders = { 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' };
const jsonType = 'application/json; charset=utf-8';

/** Writes a finished response. Head and text leave in one write; Express's `send` would hash and inspect the text first. */
export const sendText = (
  response: Response,
  status: number,
  contentType: string,
  text: string | Buffer,
  headers?: Headers,
  encoding: BodyEncoding = 'utf8',
): void => {
  if (response.app.enabled(drainingSetting)) response.shouldKeepAlive = false;
  response.writeHead(status, {
    'Content-Type': contentType,
    'Content-Length': Buffer.byteLength(text, encoding),
    ...standingHeaders,
    ...exchangeOf(response.req).headers,
    ...headers,
  });
  response.end(text, encoding);
};

/** Writes a finished JSON text. */
export const sendJson = (response: Response, status: number, json: string, headers?: Headers): void => {
  sendText(response, status, jsonType, json, headers);
};

const extraText = (extra: Readonly<Record<string, unknown>> = {}): string => {
  let text = '';
  for (const [name, value] of Object.entries(extra)) {
    if (value !== undefined) text += `,${JSON.stringify(name)}:${JSON.stringify(value)}`;
  }
  return text;
};

const envelope = (message: string, data: string, extra: string): string =>
  `{"success":true,"message":${message},"data":${data}${extra}}`;

/** The envelope of a success as text. Data that is already JSON is spliced in, never parsed. */
export const successBody = ({ message, data, extra }: Omit<OperationReply<OperationContract>, 'headers'>): string =>
  envelope(JSON.stringify(message), data instanceof JsonText ? data.text : JSON.stringify(data), extraText(extra));

const bytesBody = (data: JsonBytes, { message, extra }: OperationReply<OperationContract>): string =>
  envelope(toByteText(JSON.stringify(message)), data.bytes, toByteText(extraText(extra)));

/** Answers a success, compressed where it is long and the caller takes it. Whoever does not pays nothing for it. */
export const sendSuccess = async (response: Response, reply: OperationReply<OperationContract>): Promise<void> => {
  const { data, headers } = reply;
  const [body, encoding]: [string, BodyEncoding] =
    data instanceof JsonBytes ? [bytesBody(data, reply), 'latin1'] : [successBody(reply), 'utf8'];
  // Characters are at most as many as bytes; which of both is compared makes no difference that matters.
  if (body.length < minCompressedBytes) {
    sendText(response, 200, jsonType, body, headers, encoding);
    return;
  }
  const varying = { ...headers, Vary: 'Accept-Encoding' };
  const coding = contentCodingOf(response.req);
  if (coding === null) {
    sendText(response, 200, jsonType, body, varying, encoding);
    return;
  }
  const bytes = await compress(coding, Buffer.from(body, encoding));
  sendText(response, 200, jsonType, bytes, { ...varying, 'Content-Encoding': coding });
};
