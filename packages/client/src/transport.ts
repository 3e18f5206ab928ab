import { type SuccessBody, toAnswer, type WriteAnswer } from './answer.js';
import { CrmConnectionError, toApiError } from './errors.js';
import type { CallOptions, ClientOptions, CreateOptions, ReadOptions, RequestInfo, UpdateOptions } from './options.js';
import { readRetryAfterMs, RetryPlan, sleep } from './retry.js';
import { toJson } from './to-json.js';
import type { ErrorBody } from './types.js';

type Scalar = string | number | boolean | null | undefined;

/** One request. */
export interface Call {
  readonly gateway: 'read' | 'inbound';
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Undefined and null parameters are omitted, lists are repeated. */
  readonly query?: object;
  readonly body?: unknown;
}

/** The options of any call. */
export type AnyOptions = CallOptions & ReadOptions & CreateOptions & UpdateOptions;

/** The path of one record. @throws TypeError for an invalid id, since `..` would lead to another operation */
export const pathOf = (folder: string, id: string): string => {
  if (!/^[0-9a-f-]{36}$/i.test(id)) throw new TypeError('id must be a UUID');
  return `${folder}/${id}`;
};

/** Sends a request and returns the response. @throws CrmApiError, CrmConnectionError, or the signal's reason */
export type Send = <Data>(call: Call, options?: AnyOptions) => Promise<WriteAnswer<Data>>;

const defaultTimeoutMs = 30_000;
const defaultMaxRetries = 2;

/** `URL.canParse` of Node 20 answers wrongly for some hosts. */
const protocolOf = (url: string): string => {
  try {
    return new URL(url).protocol;
  } catch {
    return '';
  }
};

const baseOf = (name: string, url: string | undefined): string | undefined => {
  if (url !== undefined && !/^https?:$/.test(protocolOf(url)))
    throw new TypeError(`${name} must be an address such as https://crm.example.com`);
  return url?.replace(/\/+$/, '');
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

/** Creates the function that gives the address of a call. @throws TypeError if an address is invalid or missing */
const addressesOf = (client: ClientOptions): ((call: Call) => string) => {
  const url = baseOf('url', client.url);
  const read = baseOf('readUrl', client.readUrl) ?? url;
  const inbound = baseOf('inboundUrl', client.inboundUrl) ?? url;
  if (read === undefined && inbound === undefined) throw new TypeError('url is missing');
  return ({ gateway, path, query }) => {
    const base = gateway === 'read' ? read : inbound;
    if (base !== undefined) return base + path + queryText(query);
    throw new TypeError(`The call needs an address: set ${gateway}Url, or url for a proxy in front of both gateways`);
  };
};

/** The idempotency key of a create; undefined for other calls, and if the caller wants none. */
const idempotencyKeyOf = ({ gateway, method }: Call, { idempotencyKey }: AnyOptions): string | undefined =>
  gateway === 'read' || method !== 'POST' || idempotencyKey === null
    ? undefined
    : (idempotencyKey ?? crypto.randomUUID());

const headersOf = (call: Call, options: AnyOptions, idempotencyKey: string | undefined): Record<string, string> => ({
  ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
  ...(idempotencyKey === undefined ? {} : { 'idempotency-key': idempotencyKey }),
  ...(options.ifVersion === undefined ? {} : { 'if-match': `"${options.ifVersion}"` }),
  ...(typeof options.readAfter === 'string' ? { 'x-read-after': options.readAfter } : {}),
});

type AnyBody = Partial<Omit<ErrorBody, 'success'> & SuccessBody>;

const isHtml = (headers: Headers, text: string): boolean =>
  /html/.test(headers.get('content-type') ?? '') || /^\s*</.test(text);

const parse = ({ status, headers }: Response, text: string, host: string): AnyBody => {
  try {
    const body: unknown = JSON.parse(text);
    if (typeof body === 'object' && body !== null) return body;
  } catch {
    // The response is not from a gateway, but for example a proxy's own page.
  }
  const kind = isHtml(headers, text) ? 'an HTML page' : 'something else';
  return { message: `${host} answered ${status} with ${kind} instead of JSON: is it the address of a gateway?` };
};

const readAnswer = <Data>(response: Response, text: string, host: string): WriteAnswer<Data> => {
  const { ok, status, headers } = response;
  const body = parse(response, text, host);
  if (ok && body.success === true) return toAnswer<Data>(headers, body as SuccessBody);
  const retryAfterMs = readRetryAfterMs(headers.get('retry-after'));
  throw toApiError({ status, body, requestId: headers.get('x-request-id'), retryAfterMs });
};

/** The longest delay of a timer, 24.8 days. Longer ones would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

const checkTimeout = (timeoutMs: number | undefined): void => {
  if (timeoutMs !== undefined && !(timeoutMs > 0))
    throw new TypeError('timeoutMs must be more than 0; Infinity is no limit');
};

/**
 * Ends a try after a time or with the caller's signal. `AbortSignal.any` is not used: in Node 20 a signal that lives long keeps all that
 * were made from it.
 */
const limitOf = (timeoutMs: number, given: AbortSignal | undefined) => {
  const controller = new AbortController();
  const onAbort = (): void => controller.abort(given?.reason);
  let isOver = false;
  const onTimeout = (): void => {
    isOver = true;
    controller.abort();
  };
  const timer = timeoutMs > longestTimerMs ? undefined : setTimeout(onTimeout, timeoutMs);
  if (given?.aborted === true) onAbort();
  given?.addEventListener('abort', onAbort, { once: true });
  const end = (): void => {
    clearTimeout(timer);
    given?.removeEventListener('abort', onAbort);
  };
  return { signal: controller.signal, isOver: () => isOver, end };
};

/** Shared by all tries of a call. */
interface Prepared {
  readonly call: Call;
  readonly url: string;
  readonly headers: Record<string, string>;
  readonly body: string | undefined;
}

/** Creates the function that sends requests. @throws TypeError for invalid options */
export const createSend = (client: ClientOptions): Send => {
  const urlOf = addressesOf(client);
  if (!/^[\x21-\x7e]+$/.test(client.apiKey)) throw new TypeError('apiKey is missing or is not an API key');
  checkTimeout(client.timeoutMs);

  const exchange = async (request: RequestInfo, body: string | undefined, options: AnyOptions) => {
    const timeoutMs = options.timeoutMs ?? client.timeoutMs ?? defaultTimeoutMs;
    const limit = limitOf(timeoutMs, options.signal);
    const headers = new Headers(request.headers);
    headers.set('x-api-key', client.apiKey);
    // Following a redirect would send the key to another address.
    // A cached answer would be older than the caller's own writes. Some runtimes know no cache.
    const cache = 'cache' in Request.prototype ? { cache: 'no-store' } : {};
    const init: RequestInit = { ...cache, method: request.method, headers, redirect: 'manual', signal: limit.signal };
    // Looked up at each call, because tests and tracing replace it later.
    const fetchOnce = client.fetch ?? fetch;
    try {
      const response = await fetchOnce(request.url, body === undefined ? init : { ...init, body });
      return { response, text: await response.text() };
    } catch (cause) {
      options.signal?.throwIfAborted();
      const reason = limit.isOver() ? `did not answer within ${timeoutMs} ms` : 'cannot be reached';
      throw new CrmConnectionError(`${new URL(request.url).host} ${reason}`, { cause });
    } finally {
      limit.end();
    }
  };

  const tryOnce = async <Data>({ call, url, headers, body }: Prepared, attempt: number, options: AnyOptions) => {
    const request: RequestInfo = { method: call.method, url, headers: new Headers(headers), attempt };
    await client.onRequest?.(request);
    const startedAtMs = performance.now();
    const report = (response: Response | null): void | Promise<void> =>
      client.onResponse?.({
        request,
        status: response?.status ?? null,
        headers: response?.headers ?? null,
        durationMs: performance.now() - startedAtMs,
      });
    try {
      const { response, text } = await exchange(request, body, options);
      await report(response);
      return readAnswer<Data>(response, text, new URL(url).host);
    } catch (error) {
      if (error instanceof CrmConnectionError) await report(null);
      throw error;
    }
  };

  return async <Data>(call: Call, options: AnyOptions = {}): Promise<WriteAnswer<Data>> => {
    checkTimeout(options.timeoutMs);
    const idempotencyKey = idempotencyKeyOf(call, options);
    const prepared: Prepared = {
      call,
      url: urlOf(call),
      headers: headersOf(call, options, idempotencyKey),
      body: call.body === undefined ? undefined : toJson(call.body),
    };
    const isRepeatable = call.gateway === 'read' || idempotencyKey !== undefined;
    const plan = new RetryPlan(client.maxRetries ?? defaultMaxRetries, isRepeatable);
    for (let attempt = 1; ; attempt++) {
      options.signal?.throwIfAborted();
      try {
        return await tryOnce<Data>(prepared, attempt, options);
      } catch (error) {
        await sleep(plan.nextDelayMs(error), options.signal);
      }
    }
  };
};
