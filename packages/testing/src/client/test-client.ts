import { Agent, request as sendRequest } from 'node:http';
import { text as readText } from 'node:stream/consumers';
import { type DataOf, inboundOperations, type OperationContract, readOperations } from '@crm/contract';

import { Answer } from './answer.js';
import { createAnswerCheck } from './answer-check.js';

/** The parts of a request. */
export interface TestRequest {
  /** Values for the path of the contract; a name without a value stays in braces. */
  readonly params?: Readonly<Record<string, string>> | undefined;
  /** A text is sent unchanged after the `?`. */
  readonly query?: string | Readonly<Record<string, string | number | readonly string[]>> | undefined;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Sent unchanged instead of `body`. */
  readonly rawBody?: string | Uint8Array<ArrayBuffer> | undefined;
  /** By default the client's own key. Null sends none. */
  readonly key?: string | null | undefined;
  /** By lower-case name; an empty text removes a header. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/** Sends requests to one gateway and checks every response against the contract. */
export interface TestClient {
  /** Calls an operation; the response's data has the type of its contract. */
  call<C extends OperationContract>(contract: C, request?: TestRequest): Promise<Answer<DataOf<C>>>;
  /** Sends `HEAD` to the path of an operation. The response has no body to check. */
  head(contract: OperationContract, request?: TestRequest): Promise<Received>;
  /** Sends any method to any path. */
  send(method: string, path: string, request?: TestRequest): Promise<Answer>;
}

const pathOf = ({ path }: OperationContract, { params = {} }: TestRequest): string =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const value = params[name];
    return value === undefined ? whole : encodeURIComponent(value);
  });

const queryText = (query: TestRequest['query']): string => {
  if (query === undefined) return '';
  if (typeof query === 'string') return `?${query}`;
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const item of Array.isArray(value) ? (value as readonly string[]) : [value])
      parameters.append(name, String(item));
  }
  return `?${parameters.toString()}`;
};

const headersOf = (request: TestRequest, ownKey: string, hasBody: boolean): Record<string, string> => {
  const key = request.key === undefined ? ownKey : request.key;
  const headers = {
    ...(key === null ? {} : { 'x-api-key': key }),
    ...(hasBody ? { 'content-type': 'application/json' } : {}),
    ...request.headers,
  };
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== ''));
};

interface Received {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

const agent = new Agent({ keepAlive: true });

/** Sends a request. Tests send thousands, and `fetch` takes three times the processor time. */
const exchange = (url: string, method: string, request: TestRequest, ownKey: string): Promise<Received> =>
  new Promise((resolve, reject) => {
    const body = request.rawBody ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
    const headers = headersOf(request, ownKey, body !== undefined);
    const outgoing = sendRequest(url, { method, headers, agent }, (response) => {
      const received = (text: string): Received => ({
        status: response.statusCode ?? 0,
        headers: new Headers(response.headers as Record<string, string>),
        text,
      });
      readText(response).then((text) => resolve(received(text)), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(body);
  });

const checkAnswer = createAnswerCheck([...readOperations, ...inboundOperations]);

/**
 * Creates the client of a running gateway.
 * @param baseUrl its address, without a trailing slash
 * @param key sent with every request without a key of its own
 */
export const createTestClient = (baseUrl: string, key: string): TestClient => {
  const receive = (method: string, path: string, request: TestRequest): Promise<Received> =>
    exchange(`${baseUrl}${path}${queryText(request.query)}`, method, request, key);
  const send = async <Data>(method: string, path: string, request: TestRequest): Promise<Answer<Data>> => {
    const { status, headers, text } = await receive(method, path, request);
    checkAnswer({ method, path, status, headers, text });
    return new Answer<Data>(status, headers, text);
  };
  return {
    call: (contract, request = {}) => send(contract.method.toUpperCase(), pathOf(contract, request), request),
    head: (contract, request = {}) => receive('HEAD', pathOf(contract, request), request),
    send: (method, path, request = {}) => send(method, path, request),
  };
};
