import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A request as received. */
export interface ReceivedRequest {
  readonly line: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** How the stub answers a request. The last reply is used for all further requests. */
export type Reply = (response: ServerResponse) => void;

/** A server on a real socket that behaves like a failing gateway. */
export interface StubApi {
  readonly url: string;
  readonly requests: readonly ReceivedRequest[];
  close(): Promise<void>;
}

/** Sends JSON. */
export const json =
  (status: number, body: object, headers: Readonly<Record<string, string>> = {}): Reply =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };

/** A success in the envelope. */
export const success = (data: object): Reply => json(200, { success: true, message: 'OK', data });

/** An error in the envelope. */
export const failure = (status: number, headers: Readonly<Record<string, string>> = {}, code?: string): Reply =>
  json(status, { success: false, message: `status ${status}`, statusCode: status, code }, headers);

/** Breaks the connection instead of answering. */
export const hangUp: Reply = (response) => {
  response.socket?.destroy();
};

/** Never answers. */
export const silence: Reply = () => undefined;

/** Starts a stub that replies in turn. */
export const startStubApi = async (replies: readonly Reply[]): Promise<StubApi> => {
  const requests: ReceivedRequest[] = [];
  const server = createServer((request, response) => {
    void text(request).then((body) => {
      requests.push({ line: `${request.method} ${request.url}`, headers: request.headers, body });
      replies[Math.min(requests.length, replies.length) - 1]?.(response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
};
