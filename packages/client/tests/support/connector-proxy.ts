import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What the proxy does to the change log: nothing, answer that changes have expired, or pretend to be another log. */
export type LogFault = 'none' | 'expired' | 'other_log';

/** A proxy in front of the read gateway that counts requests. */
export interface ConnectorProxy {
  readonly url: string;
  /** The paths with queries of the requests since {@link reset}. */
  readonly requests: readonly string[];
  readonly refused: () => number;
  /** Runs before the request with this number, from 1, is forwarded. */
  reset(before?: Readonly<Record<number, () => Promise<void>>>): void;
  /** @param oldest - the oldest position that an expired log still has */
  setFault(fault: LogFault, oldest?: number): void;
  stop(): Promise<void>;
}

const gone = (code: string): string =>
  JSON.stringify({
    success: false,
    message: 'Gone: copy all records again',
    statusCode: 410,
    code,
    oldest_position: 9,
  });

const otherLog = 'ffffffffffffffff-1-1-1';

/** Starts a proxy before a gateway. */
export const startConnectorProxy = async (target: string): Promise<ConnectorProxy> => {
  let requests: string[] = [];
  let refused = 0;
  let before: Readonly<Record<number, () => Promise<void>>> = {};
  let fault: LogFault = 'none';
  let logId = '';
  let oldest = 0;

  const forward = async (
    request: IncomingMessage,
    path: string,
  ): Promise<{ status: number; body: string; headers: Headers }> => {
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === 'string' && !['host', 'connection', 'accept-encoding'].includes(name)
        ? [[name, value] as [string, string]]
        : [],
    );
    const answer = await fetch(`${target}${path}`, { headers });
    return { status: answer.status, body: await answer.text(), headers: answer.headers };
  };

  const answer = async (request: IncomingMessage): Promise<{ status: number; body: string; headers?: Headers }> => {
    const url = new URL(request.url ?? '', target);
    const isLog = url.pathname === '/v1/events';
    const [after, cursor] = [url.searchParams.get('after') ?? '0', url.searchParams.get('cursor')];
    const position = Number(after.replace(/^.*:/, ''));
    if (isLog && fault === 'expired' && position > 0 && position + 1 < oldest && cursor === null)
      return { status: 410, body: gone('events_expired') };
    if (fault !== 'other_log') return forward(request, request.url ?? '');
    if (isLog && (after.startsWith(logId) || cursor?.startsWith(logId) === true))
      return { status: 410, body: gone('log_changed') };
    const found = await forward(
      request,
      (request.url ?? '').replaceAll(encodeURIComponent(otherLog), logId).replaceAll(otherLog, logId),
    );
    return { ...found, body: found.body.replaceAll(logId, otherLog) };
  };

  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    requests.push(request.url ?? '');
    await before[requests.length]?.();
    const { status, body, headers } = await answer(request);
    if (status === 429) refused += 1;
    logId ||= /"log_id":"([^"]+)"/.exec(body)?.[1] ?? '';
    const kept = ['retry-after', 'x-read-after'].flatMap((name) => {
      const value = headers?.get(name);
      return value === null || value === undefined ? [] : [[name, value] as const];
    });
    response.writeHead(status, { 'content-type': 'application/json', ...Object.fromEntries(kept) });
    response.end(body);
  };

  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => response.destroy(error as Error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    get requests() {
      return requests;
    },
    refused: () => refused,
    reset: (next = {}) => {
      requests = [];
      refused = 0;
      before = next;
    },
    setFault: (next, nextOldest = 0) => {
      fault = next;
      oldest = nextOldest;
    },
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
