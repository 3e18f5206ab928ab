import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';

/** A create request as it was received. */
export interface ReceivedRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Readonly<Record<string, unknown>>;
}

/** What the stub does instead of creating a record. */
export type Mischief = (
  request: ReceivedRequest,
  response: ServerResponse,
  times: number,
) => 'answered' | 'create' | Promise<'answered' | 'create'>;

/** An inbound gateway on a real socket that creates, matches, and misbehaves on request. */
export interface StubGateway {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  readonly recordNames: ReadonlySet<string>;
  readonly mostInFlight: number;
  close(): Promise<void>;
}

/** The items of a bulk call; undefined for a single create. */
export const itemsOf = (
  body: Readonly<Record<string, unknown>>,
): readonly Readonly<Record<string, unknown>>[] | undefined => {
  const items = body['items'];
  return Array.isArray(items) ? (items as readonly Readonly<Record<string, unknown>>[]) : undefined;
};

/** Responds with an error in the envelope. */
export const answerError = (
  response: ServerResponse,
  status: number,
  extra: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): 'answered' => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(JSON.stringify({ success: false, statusCode: status, message: `status ${status}`, ...extra }));
  return 'answered';
};

/** Starts a stub. `mischief` is called for every request, with the number of earlier requests with the same body. */
export const startStubGateway = async (mischief: Mischief = () => 'create', port = 0): Promise<StubGateway> => {
  const requests: ReceivedRequest[] = [];
  const recordNames = new Set<string>();
  const timesByBody = new Map<string, number>();
  let inFlight = 0;
  const stub = { mostInFlight: 0 };

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    inFlight += 1;
    stub.mostInFlight = Math.max(stub.mostInFlight, inFlight);
    response.on('close', () => (inFlight -= 1));
    const content = await text(request);
    // Waits like a real gateway, so that other requests arrive in the meantime.
    await sleep(1);
    const body = JSON.parse(content) as Record<string, unknown>;
    const received = { path: request.url ?? '', headers: request.headers, body };
    requests.push(received);
    const times = timesByBody.get(content) ?? 0;
    timesByBody.set(content, times + 1);
    if ((await mischief(received, response, times)) === 'answered') return;
    const nameOf = (item: Readonly<Record<string, unknown>>): string =>
      (item['opportunity'] as { name?: string } | undefined)?.name ?? JSON.stringify(item);
    const create = (item: Readonly<Record<string, unknown>>): 'matched' | 'created' => {
      const name = nameOf(item);
      const status = recordNames.has(name) ? 'matched' : 'created';
      recordNames.add(name);
      return status;
    };
    const results = itemsOf(body)?.map((item) => ({ success: true, record_status: create(item), id: nameOf(item) }));
    const headers = results === undefined ? { 'x-record-status': create(body) } : {};
    response.writeHead(200, { 'content-type': 'application/json', ...headers });
    const data = results === undefined ? { opportunity_id: nameOf(body), amount: null } : { results };
    response.end(JSON.stringify({ success: true, statusCode: 200, message: 'ok', data }));
  };

  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => void server.listen(port, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    recordNames,
    get mostInFlight() {
      return stub.mostInFlight;
    },
    close: () => closeServer(server),
  };
};

const closeServer = (server: Server): Promise<void> => {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
};
