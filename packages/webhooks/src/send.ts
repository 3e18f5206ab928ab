import type { Agent, IncomingMessage } from 'node:http';
import http from 'node:http';
import https from 'node:https';
import { RequestFilteringHttpAgent, RequestFilteringHttpsAgent } from 'request-filtering-agent';
import { isPublicUrl, type Networks } from './endpoint-url.js';
import { type Message, signedHeaders } from './message.js';

/** The result of one attempt. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** Null if there was no complete answer. */
  readonly status: number | null;
  /** Why the attempt failed, for people; null if it was delivered. */
  readonly error: string | null;
  /** The beginning of the answer's body. */
  readonly response: string;
  readonly durationMs: number;
  /** How long the receiver asks to wait, from `Retry-After`; null if it did not say. */
  readonly retryAfterMs: number | null;
}

/** How long an attempt may take by default, with its whole answer. */
export const defaultAttemptTimeoutMs = 15_000;
/** How much of an answer is read. */
const maxResponseBytes = 1_024;
const everywhere = ['0.0.0.0/0', '::/0'];

const errorTexts: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the receiver refused the connection',
  ECONNRESET: 'the receiver closed the connection before it answered',
  ENOTFOUND: 'the host name has no address',
  EAI_AGAIN: 'the host name could not be looked up',
};

/** Whether the agent refused an address. It has no code for that. */
const isRefusedAddress = (error: unknown): boolean =>
  error instanceof Error && error.message.includes('is not allowed');

const errorText = (error: unknown, timeoutMs: number): string => {
  if (!(error instanceof Error)) return 'the request failed';
  const { code } = error as NodeJS.ErrnoException;
  if (error.name === 'TimeoutError' || code === 'ABORT_ERR')
    return `no complete answer within ${timeoutMs / 1_000} seconds`;
  if (isRefusedAddress(error))
    return 'the address is not allowed: it is private, or not one of WEBHOOK_ALLOWED_NETWORKS';
  return errorTexts[code ?? ''] ?? `the connection failed: ${code ?? error.message}`;
};

const statusText = (status: number): string | null => {
  if (status >= 200 && status < 300) return null;
  return status >= 300 && status < 400
    ? `answered ${status}: redirects are not followed, so change the URL`
    : `answered ${status}`;
};

/** Seconds or a date, as milliseconds from now. */
const retryAfterMs = (header: string | undefined): number | null => {
  if (header === undefined) return null;
  const ms = /^\d{1,9}$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - Date.now();
  return ms >= 0 ? ms : null;
};

/** Reads the beginning of an answer, and drops the connection if there is more. */
const readStart = async (response: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxResponseBytes) break;
  }
  return Buffer.concat(chunks).subarray(0, maxResponseBytes).toString('utf8');
};

/** Sends messages to endpoints. The addresses that it really connects to are checked after their lookup. */
export class Sender {
  readonly #public: Agent;
  readonly #private: readonly [http: Agent, https: Agent];

  readonly #timeoutMs: number;

  /**
   * @param networks - the private networks that may be called
   * @param timeoutMs - how long an attempt may take, with its whole answer
   */
  constructor(networks: Networks, timeoutMs = defaultAttemptTimeoutMs) {
    this.#timeoutMs = timeoutMs;
    const onlyAllowed = { keepAlive: true, allowIPAddressList: [...networks], denyIPAddressList: everywhere };
    this.#public = new RequestFilteringHttpsAgent({ keepAlive: true });
    this.#private = [new RequestFilteringHttpAgent(onlyAllowed), new RequestFilteringHttpsAgent(onlyAllowed)];
  }

  /** Makes one attempt. Never throws: an error is a result. */
  async send(address: string, secrets: readonly string[], message: Message): Promise<Attempt> {
    const startedMs = performance.now();
    const signal = AbortSignal.timeout(this.#timeoutMs);
    const url = new URL(address);
    const [http, https] = this.#private;
    const inside = url.protocol === 'https:' ? https : http;
    const post = (agent: Agent) => this.#post(agent, url, secrets, message, signal);
    let answer: Omit<Attempt, 'durationMs'>;
    try {
      // A public URL may have an address in an allowed network.
      answer = await post(isPublicUrl(url) ? this.#public : inside).catch((error: unknown) => {
        if (isRefusedAddress(error)) return post(inside);
        throw error;
      });
    } catch (error) {
      const text = errorText(error, this.#timeoutMs);
      answer = { isDelivered: false, status: null, response: '', retryAfterMs: null, error: text };
    }
    return { ...answer, durationMs: Math.round(performance.now() - startedMs) };
  }

  async #post(agent: Agent, url: URL, secrets: readonly string[], message: Message, signal: AbortSignal) {
    const headers = {
      ...signedHeaders(message, secrets, new Date()),
      'content-type': 'application/json',
      'content-length': message.body.length,
      'user-agent': 'crm-webhooks/1',
    };
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      const { request } = url.protocol === 'https:' ? https : http;
      const sent = request(url, { method: 'POST', agent, headers, signal }, resolve);
      sent.once('error', reject);
      sent.end(message.body);
    });
    const status = answer.statusCode ?? 0;
    const error = statusText(status);
    const response = await readStart(answer);
    return {
      isDelivered: error === null,
      status,
      error,
      response,
      retryAfterMs: retryAfterMs(answer.headers['retry-after']),
    };
  }

  /** Closes idle connections. */
  close(): void {
    for (const agent of [this.#public, ...this.#private]) agent.destroy();
  }
}
