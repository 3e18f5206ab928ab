import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  createMcpHandler,
  hostHeaderValidationResponse,
  localhostAllowedHostnames,
  originValidationResponse,
} from '@modelcontextprotocol/server';
import { CrmApiError, CrmUnauthorizedError } from '@crm/client';
import { connect, type Connection } from './connection.js';
import { createMcpServer } from './server.js';
import { invalidKeyText } from './tool-error.js';

/** How to serve assistants over HTTP. */
export interface HttpOptions {
  readonly gateways: Omit<Connection, 'apiKey'>;
  readonly port: number;
  readonly address: string;
  /** Names in `Host` and `Origin` besides those of this machine. */
  readonly allowedHosts: readonly string[];
  readonly version: string;
  readonly onError: (error: Error) => void;
}

const maxBodyBytes = 1_048_576;
/** A request must arrive within this time, so that slow clients do not hold connections. */
const requestTimeoutMs = 15_000;
/** Longer than the 60 seconds for which usual proxies keep a connection, so that no request meets a closing one. */
const keepAliveMs = 65_000;
const keyPattern = /^[\x21-\x7e]{1,200}$/;

/** The key of a request: `x-api-key`, or a bearer token. */
const keyOf = ({ headers }: Request): string | null => {
  const [, bearer = ''] = /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '') ?? [];
  const key = headers.get('x-api-key') ?? bearer;
  return keyPattern.test(key) ? key : null;
};

const refuse = (status: number, message: string, headers: Record<string, string> = {}): Response =>
  Response.json({ jsonrpc: '2.0', id: null, error: { code: -32_000, message } }, { status, headers });

const requestOf = (incoming: IncomingMessage, signal: AbortSignal): Request => {
  const { method = 'GET', headers, url = '/' } = incoming;
  const entries = Object.entries(headers).flatMap(([name, value]) => [value ?? []].flat().map((one) => [name, one]));
  const hasBody = method !== 'GET' && method !== 'HEAD';
  return new Request(new URL(url, 'http://localhost'), {
    method,
    headers: entries as [string, string][],
    signal,
    ...(hasBody && { body: Readable.toWeb(incoming), duplex: 'half' }),
  });
};

const send = async (response: Response, outgoing: ServerResponse): Promise<void> => {
  outgoing.writeHead(response.status, [...response.headers].flat());
  if (response.body === null) outgoing.end();
  else await pipeline(Readable.fromWeb(response.body), outgoing);
};

/** What the key of a request allows; null if no gateway can say, which the call itself then reports. Or why the key is refused. */
const checkKey = async (
  gateways: HttpOptions['gateways'],
  apiKey: string,
): Promise<readonly string[] | Response | null> => {
  try {
    return (await connect({ ...gateways, apiKey }).key.get()).data.allowed_operations;
  } catch (error) {
    if (error instanceof CrmUnauthorizedError)
      return refuse(401, invalidKeyText, { 'WWW-Authenticate': 'Bearer error="invalid_token"' });
    if (!(error instanceof CrmApiError) || error.status !== 429) return null;
    const seconds = Math.ceil((error.retryAfterMs ?? 1_000) / 1_000);
    return refuse(429, 'Too many requests with this key', { 'Retry-After': String(seconds) });
  }
};

/** Answers requests at `/mcp`. Each one brings the key of its caller; this process has none. */
const createResponder = (options: HttpOptions): ((request: Request) => Promise<Response>) => {
  const hosts = [...localhostAllowedHostnames(), ...options.allowedHosts];
  const handler = createMcpHandler(
    ({ authInfo }) => {
      const { token = '', scopes = [] } = authInfo ?? {};
      const allowed = scopes.length > 0 ? scopes : undefined;
      return createMcpServer({ ...options.gateways, apiKey: token, allowed }, options.version);
    },
    { onerror: options.onError, maxRequestBodySize: maxBodyBytes },
  );
  return async (request) => {
    const rejected = hostHeaderValidationResponse(request, hosts) ?? originValidationResponse(request, hosts);
    if (rejected !== undefined) return rejected;
    if (new URL(request.url).pathname !== '/mcp') return refuse(404, 'Not found: the path is /mcp');
    const token = keyOf(request);
    if (token === null) {
      const headers = { 'WWW-Authenticate': 'Bearer' };
      return refuse(401, 'Send an API key in the header x-api-key, or as a bearer token', headers);
    }
    const allowed = await checkKey(options.gateways, token);
    if (allowed instanceof Response) return allowed;
    return handler.fetch(request, { authInfo: { token, clientId: 'api-key', scopes: [...(allowed ?? [])] } });
  };
};

/** Starts to serve assistants over HTTP. @returns the listening server */
export const serveHttp = async (options: HttpOptions): Promise<Server> => {
  const respond = createResponder(options);
  const answer = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const gone = new AbortController();
    outgoing.on('close', () => gone.abort());
    try {
      await send(await respond(requestOf(incoming, gone.signal)), outgoing);
    } catch (error) {
      if (!gone.signal.aborted) options.onError(error instanceof Error ? error : new Error(String(error)));
      if (outgoing.headersSent) outgoing.destroy();
      else await send(refuse(400, 'The request cannot be read'), outgoing).catch(() => outgoing.destroy());
    }
  };
  const server = createServer(
    { requestTimeout: requestTimeoutMs, keepAliveTimeout: keepAliveMs, connectionsCheckingInterval: 1_000 },
    (incoming, outgoing) => {
      void answer(incoming, outgoing);
    },
  );
  server.listen(options.port, options.address);
  await once(server, 'listening');
  return server;
};
