import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

/** A message whose signature was verified. */
export interface Received {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly position: number;
    readonly record_id: string;
    readonly record?: unknown;
  };
}

/** Answers a message; by default 200. Returns true if it answers later, or never. */
export type Behaviour = (message: Received, response: ServerResponse, request: IncomingMessage) => unknown;

/** A receiver of webhooks that verifies each signature with the library of Standard Webhooks. */
export interface Receiver {
  readonly url: string;
  /** Every message that was answered 200, in order. */
  readonly accepted: Received[];
  /** The number of requests, refused ones included. */
  requests: number;
  /** Requests with a wrong signature. */
  forged: number;
  secrets: string[];
  behave: Behaviour;
  close(): Promise<void>;
}

const readBody = async (request: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const verified = (secrets: readonly string[], body: string, headers: Record<string, string>): Received | null => {
  for (const secret of secrets) {
    try {
      const { type, data } = new Webhook(secret).verify(body, headers) as Pick<Received, 'type' | 'data'>;
      return { id: headers['webhook-id'] ?? '', type, data };
    } catch {
      // Signed with another secret.
    }
  }
  return null;
};

/** Starts a receiver on a free port. */
export const startReceiver = async (secrets: string[], behave: Behaviour = () => undefined): Promise<Receiver> => {
  const server = createServer((request, response) => {
    void readBody(request).then((body) => {
      receiver.requests += 1;
      const message = verified(receiver.secrets, body, request.headers as Record<string, string>);
      if (message === null) {
        receiver.forged += 1;
        response.writeHead(400).end('bad signature');
        return;
      }
      response.once('finish', () => {
        if (response.statusCode === 200) receiver.accepted.push(message);
      });
      const answersLater = receiver.behave(message, response, request) === true;
      if (!answersLater && !response.headersSent && !response.destroyed) response.end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const receiver: Receiver = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    accepted: [],
    requests: 0,
    forged: 0,
    secrets,
    behave,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  return receiver;
};
