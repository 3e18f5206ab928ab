import { type SuccessBody, toAnswer, type WriteAnswer } from './answer.js';
import { CrmApiError, CrmConnectionError } from './errors.js';
import type { CallOptions, ClientOptions, CreateOptions, ReadOptions, UpdateOptions } from './options.js';
import { delayMs, maxRetryAfterMs, readRetryAfterMs, sleep } from './retry.js';
import type { ErrorBody } from './types.js';

type Scalar = string | number | boolean | null | undefined;

/** One request. */
export interface Call {
  readonly gateway: 'read' | 'inbound';
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Parameters that are undefined or null are left out, lists are repeated. */
  readonly query?: object;
  readonly body?: unknown;
}

/** What any call may be given. */
export type AnyOptions = CallOptions & ReadOptions & CreateOptions & UpdateOptions;

/** Sends a request and answers what came back. @throws CrmApiError, CrmConnectionError, or the signal's reason */
export type Send = <Data>(call: Call, options?: AnyOptions) => Promise<WriteAnswer<Data>>;

const defaultTimeoutMs = 30_000;
const defaultMaxRetries = 4;

const baseOf = (name: string, url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError(`${name} must be an address such as https://crm.example.com`);
  }
  return url.replace(/\/+$/, '');
};

const queryText = (query: object = {}): string => {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query) as [string, Scalar | readonly Scalar[]][]) {
    for (const one of [value].flat()) {
      if (one !== undefined && one !== null) parameters.append(name, String(one));
    }
  }
  return parameters.size === 0 ? '' : `?${parameters.toString()}`;
};

/** What makes repeats of a create one; undefined for other calls, and where it is not wanted. */
const idempotencyKeyOf = ({ gateway, method }: Call, { idempotencyKey }: AnyOptions): string | undefined =>
  gateway === 'read' || method !== 'POST' || idempotencyKey === null
    ? undefined
    : (idempotencyKey ?? crypto.randomUUID());

const headersOf = (
  call: Call,
  options: AnyOptions,
  apiKey: string,
  idempotencyKey: string | undefined,
): Record<string, string> => ({
  'x-api-key': apiKey,
  ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  ...(options.ifVersion === undefined ? {} : { 'if-match': `"${options.ifVersion}"` }),
  ...(typeof options.readAfter === 'string' ? { 'x-read-after': options.readAfter } : {}),
});

type AnyBody = Partial<Omit<ErrorBody, 'success'> & SuccessBody>;

const parse = (text: string): AnyBody => {
  try {
    return (JSON.parse(text) ?? {}) as AnyBody;
  } catch {
    // What answered is no gateway, such as a proxy with a page of its own.
    return {};
  }
};

const readAnswer = <Data>({ ok, status, headers }: Response, text: string): WriteAnswer<Data> => {
  const body = parse(text);
  if (ok && body.success === true) return toAnswer<Data>(headers, body as SuccessBody);
  throw new CrmApiError(status, body, headers.get('x-request-id'), readRetryAfterMs(headers.get('retry-after')));
};

/**
 * How long the gateway asks to wait; null when the request is not to be sent again: it was refused for good, or nobody
 * knows whether it was carried out and it must not be carried out twice.
 */
const retryAfterMs = (error: unknown, isRepeatable: boolean): number | null => {
  if (error instanceof CrmApiError) {
    const isTemporary = error.status === 429 || error.status === 503;
    return isTemporary && (error.retryAfterMs ?? Infinity) <= maxRetryAfterMs ? error.retryAfterMs : null;
  }
  return error instanceof CrmConnectionError && isRepeatable ? 0 : null;
};

/** Makes what sends requests. @throws TypeError for options that cannot work */
export const createSend = (client: ClientOptions): Send => {
  const read = baseOf('readUrl', client.readUrl);
  const bases = { read, inbound: client.inboundUrl === undefined ? read : baseOf('inboundUrl', client.inboundUrl) };
  if (!/^[\x21-\x7e]+$/.test(client.apiKey)) throw new TypeError('apiKey is missing or is not an API key');
  const fetchOnce = client.fetch ?? fetch;

  const tryOnce = async <Data>(url: string, init: RequestInit, options: AnyOptions): Promise<WriteAnswer<Data>> => {
    const timeoutMs = options.timeoutMs ?? client.timeoutMs ?? defaultTimeoutMs;
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = options.signal === undefined ? timeout : AbortSignal.any([timeout, options.signal]);
    let response: Response;
    let text: string;
    try {
      response = await fetchOnce(url, { ...init, signal });
      text = await response.text();
    } catch (cause) {
      options.signal?.throwIfAborted();
      const reason = timeout.aborted ? `did not answer within ${timeoutMs} ms` : 'cannot be reached';
      throw new CrmConnectionError(`${new URL(url).host} ${reason}`, { cause });
    }
    return readAnswer<Data>(response, text);
  };

  return async <Data>(call: Call, options: AnyOptions = {}): Promise<WriteAnswer<Data>> => {
    const url = bases[call.gateway] + call.path + queryText(call.query);
    const idempotencyKey = idempotencyKeyOf(call, options);
    const isRepeatable = call.gateway === 'read' || idempotencyKey !== undefined;
    const init: RequestInit = {
      method: call.method,
      headers: headersOf(call, options, client.apiKey, idempotencyKey),
      // A redirect would carry the key to wherever it leads.
      redirect: 'manual',
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    };
    for (let tries = 0; ; tries++) {
      options.signal?.throwIfAborted();
      try {
        return await tryOnce<Data>(url, init, options);
      } catch (error) {
        const waitMs = retryAfterMs(error, isRepeatable);
        if (waitMs === null || tries >= (client.maxRetries ?? defaultMaxRetries)) throw error;
        await sleep(delayMs(tries, waitMs), options.signal);
      }
    }
  };
};
