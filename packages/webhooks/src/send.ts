import type { Agent, ClientRequest, IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { types } from 'node:util';
import { Agents } from './agents.js';
import { readStart, statusText, storableText, waitOf } from './answer.js';
import type { Networks } from './endpoint-url.js';
import { type Message, signedHeaders } from './message.js';

/** The result of one attempt. Its texts can be stored, whatever the receiver sent. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** Null if no status arrived. With a status, the body may have been incomplete: then the attempt failed. */
  readonly status: number | null;
  /** Why the attempt failed, for people; null if it was delivered. */
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly response: string;
  readonly durationMs: number;
  /** How long the receiver asks to wait; null if it did not say. */
  readonly retryAfterMs: number | null;
}

/** How long an attempt may take by default, with its whole answer. */
export const defaultAttemptTimeoutMs = 15_000;

const requestTimeout = 408;

const errorTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: 'the receiver closed the connection before it answered',
  EPIPE: 'the receiver closed the connection before it answered',
  ENOTFOUND: 'the host name has no address',
  EAI_AGAIN: 'the host name could not be looked up',
};

/** Codes of a connection that was never made, after which another address of the host may work. */
const notConnected = new Set(['ECONNREFUSED', 'ENETUNREACH', 'EHOSTUNREACH', 'EADDRNOTAVAIL']);
const hasNoAddress = new Set(['ENOTFOUND', 'ENODATA']);

const codeOf = (error: unknown): string => (types.isNativeError(error) && (error as NodeJS.ErrnoException).code) || '';

/** Whether the agent refused an address. It has no code for that. */
const isRefusedAddress = (error: unknown): boolean =>
  types.isNativeError(error) && error.message.includes('is not allowed');

const timeoutText = (timeoutMs: number): string => `no complete answer within ${timeoutMs / 1_000} s`;

const errorText = (error: unknown, timeoutMs: number): string => {
  if (!types.isNativeError(error)) return 'the request failed';
  const code = codeOf(error);
  if (error.name === 'TimeoutError' || code === 'ABORT_ERR') return timeoutText(timeoutMs);
  if (isRefusedAddress(error))
    return 'the address is not allowed: it is private, or not one of WEBHOOK_ALLOWED_NETWORKS';
  return errorTexts[code] ?? `the connection failed: ${storableText(code || error.message)}`;
};

/** A reused connection that the receiver had closed before it got the request. */
class StaleConnectionError extends Error {}

interface Exchange {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: Buffer;
  readonly signal: AbortSignal;
}

/** Posts once. @throws StaleConnectionError if a reused connection ended before any byte of an answer */
const post = (agent: Agent, { url, headers, body, signal }: Exchange): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const { request } = url.protocol === 'https:' ? https : http;
    let bytesBefore = 0;
    const isUnanswered = ({ socket }: ClientRequest): boolean => (socket?.bytesRead ?? bytesBefore) <= bytesBefore;
    const sent = request(url, { method: 'POST', agent, headers, signal }, (answer) => {
      // Some servers answer 408 when they close an idle connection.
      if (sent.reusedSocket && answer.statusCode === requestTimeout) {
        answer.destroy();
        reject(new StaleConnectionError());
      } else resolve(answer);
    });
    sent.once('socket', (socket) => {
      bytesBefore = socket.bytesRead;
    });
    // Later errors belong to the answer, which reports them too.
    sent.on('error', (error) => {
      const isClosed = ['ECONNRESET', 'EPIPE'].includes(codeOf(error));
      reject(sent.reusedSocket && isClosed && isUnanswered(sent) ? new StaleConnectionError() : error);
    });
    sent.end(body);
  });

/** Sends messages to endpoints. The addresses that it really connects to are checked after their lookup. */
export class Sender {
  readonly #agents: Agents;
  readonly #timeoutMs: number;

  /**
   * @param networks - the private networks that may be called
   * @param timeoutMs - how long an attempt may take, with its whole answer
   */
  constructor(networks: Networks, timeoutMs = defaultAttemptTimeoutMs) {
    this.#timeoutMs = timeoutMs;
    this.#agents = new Agents(networks);
  }

  /** Makes one attempt. Never throws: an error is a result. */
  async send(address: string, secrets: readonly string[], message: Message): Promise<Attempt> {
    const startedMs = performance.now();
    let answer: Omit<Attempt, 'durationMs'>;
    try {
      answer = await this.#attempt(address, secrets, message);
    } catch (error) {
      const text = errorText(error, this.#timeoutMs);
      answer = { isDelivered: false, status: null, response: '', retryAfterMs: null, error: text };
    }
    return { ...answer, durationMs: Math.round(performance.now() - startedMs) };
  }

  async #attempt(address: string, secrets: readonly string[], message: Message) {
    const headers = {
      ...signedHeaders(message, secrets, new Date()),
      'content-type': 'application/json',
      'content-length': message.body.length,
      'user-agent': 'crm-webhooks/1',
    };
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const answer = await this.#post({ url: new URL(address), headers, body: message.body, signal });
    const status = answer.statusCode ?? 0;
    const head = { status, retryAfterMs: waitOf(answer.headers, Date.now()) };
    try {
      const response = await readStart(answer);
      const error = statusText(status);
      return { ...head, isDelivered: error === null, error, response };
    } catch {
      const why = signal.aborted ? timeoutText(this.#timeoutMs) : 'the connection ended before the answer was complete';
      return {
        ...head,
        isDelivered: false,
        error: `${why}: the status ${status} arrived, its body did not`,
        response: '',
      };
    }
  }

  /** Tries the addresses of the host, until one is allowed and can be connected to. */
  async #post(exchange: Exchange): Promise<IncomingMessage> {
    const errors: unknown[] = [];
    const { protocol } = exchange.url;
    for (const route of this.#agents.routesTo(exchange.url)) {
      const by = (keepAlive: boolean) => post(this.#agents.agentFor(protocol, route, keepAlive), exchange);
      try {
        return await by(true).catch((error: unknown) => {
          if (error instanceof StaleConnectionError) return by(false);
          throw error;
        });
      } catch (error) {
        const code = codeOf(error);
        if (!isRefusedAddress(error) && !notConnected.has(code) && !hasNoAddress.has(code)) throw error;
        errors.push(error);
      }
    }
    // The host may have addresses of one family only.
    throw errors.find((error) => notConnected.has(codeOf(error))) ?? errors.find(isRefusedAddress) ?? errors[0];
  }

  /** Closes idle connections. */
  close(): void {
    this.#agents.close();
  }
}
