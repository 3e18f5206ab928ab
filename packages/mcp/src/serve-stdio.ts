import { Transform } from 'node:stream';
import {
  isJSONRPCNotification,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/server';
import { serveStdio as serve, StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { callTimeoutMs, type Connection } from './connection.js';
import { createMcpServer } from './server.js';

/** How long requests that were read may take after the input has ended: a few calls of the API, each with one retry. */
const lastAnswersMs = 4 * callTimeoutMs;
/** Has no answer: it stays open for notifications. */
const endlessMethod = 'subscriptions/listen';

/** The requests that were read and not answered yet. */
class Unanswered {
  readonly #ids = new Set<string | number>();
  #onNone: () => void = () => undefined;

  get count(): number {
    return this.#ids.size;
  }

  read(message: JSONRPCMessage): void {
    if (isJSONRPCRequest(message) && message.method !== endlessMethod) this.#ids.add(message.id);
    if (!isJSONRPCNotification(message) || message.method !== 'notifications/cancelled') return;
    this.#settle(message.params?.['requestId']);
  }

  sent(message: JSONRPCMessage): void {
    if (!('method' in message)) this.#settle(message.id);
  }

  /** Resolves when every request is answered or canceled. */
  async none(): Promise<void> {
    if (this.#ids.size > 0) await new Promise<void>((resolve) => (this.#onNone = resolve));
  }

  #settle(id: unknown): void {
    this.#ids.delete(id as string);
    if (this.#ids.size === 0) this.#onNone();
  }
}

/** A transport whose input ends only after the requests in it were answered. The one of the library aborts them. */
const createTransport = (input: NodeJS.ReadableStream, onError: (error: Error) => void): Transport => {
  const unanswered = new Unanswered();
  const lastAnswers = async (): Promise<void> => {
    // What was read last is still on its way to the server.
    await new Promise((resolve) => setImmediate(resolve));
    const timeout = new Promise((resolve) => setTimeout(resolve, lastAnswersMs).unref());
    await Promise.race([unanswered.none(), timeout]);
    if (unanswered.count > 0)
      onError(new Error(`ends with ${unanswered.count} requests not answered within ${lastAnswersMs / 1_000} s`));
  };
  const delayed = new Transform({
    transform: (chunk, _encoding, done) => done(null, chunk),
    flush: (done) => void lastAnswers().then(() => done()),
  });
  input.pipe(delayed).on('error', onError);
  input.once('close', () => delayed.end());
  const wire = new StdioServerTransport(delayed);
  const transport: Transport = {
    start: () => {
      wire.onmessage = (message) => {
        unanswered.read(message);
        transport.onmessage?.(message);
      };
      wire.onclose = () => transport.onclose?.();
      wire.onerror = (error) => transport.onerror?.(error);
      return wire.start();
    },
    send: (message) => wire.send(message).finally(() => unanswered.sent(message)),
    close: () => {
      // Otherwise an input that stays open keeps the process alive.
      input.unpipe(delayed);
      return wire.close();
    },
  };
  return transport;
};

/** The service of one assistant over standard input and output. */
export interface StdioService {
  /** Resolves when the input has ended and the requests in it are answered. */
  readonly ended: Promise<void>;
  /** Ends it at once. */
  close(): Promise<void>;
}

/** Serves one assistant over the standard input and output of this process. */
export const serveStdio = (connection: Connection, version: string, onError: (error: Error) => void): StdioService => {
  const transport = createTransport(process.stdin, onError);
  const handle = serve(() => createMcpServer(connection, version), { onerror: onError, transport });
  const { onclose } = transport;
  const ended = new Promise<void>((resolve) => {
    transport.onclose = () => {
      onclose?.();
      resolve();
    };
  });
  return { ended, close: () => handle.close() };
};
