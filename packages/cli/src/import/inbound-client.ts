import { createHash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

import { CliError, errorText } from '../errors.js';
import { retryDelayMs } from './backoff.js';
import type { RequestBody } from './convert-row.js';
import { parseJson, readAnswer, readMessage, readRetryAfterMs, type SendOutcome } from './inbound-answer.js';
import { RateGate, readRateLimit } from './rate-gate.js';
import { createPath, type ImportObject } from './targets.js';

/** How to reach the inbound gateway, and for how long to try. */
export interface InboundOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly object: ImportObject;
  readonly updateMatches: boolean;
  /** How long a gateway that answered before may be away. */
  readonly outageMs: number;
  /** How long to try when it never answered: its address is then more likely wrong than the gateway down. */
  readonly firstAnswerMs: number;
  readonly onWait: (message: string) => void;
}

const requestTimeoutMs = 30_000;
/** Answers that say nothing about the row: the gateway, or the proxy before it, is busy or restarting. */
const transientStatuses = new Set([408, 502, 503, 504]);

/** Sends create requests: within the rate limit, again after failures that say nothing about the row, never for ever. */
export class InboundClient {
  readonly #options: InboundOptions;
  readonly #endpoint: string;
  readonly #gate: RateGate;
  #lastAnswerMs: number | undefined;
  #isOutageNoted = false;

  constructor(options: InboundOptions) {
    this.#options = options;
    this.#endpoint = `${options.url}${createPath(options.object)}${options.updateMatches ? '?on_match=update' : ''}`;
    this.#gate = new RateGate((seconds) => options.onWait(`The rate limit is reached; going on in ${seconds} s.`));
  }

  /**
   * Creates the record of one row. Sending it again is safe: creation is idempotent by natural key, and for notes, which
   * have none, by an `Idempotency-Key` made of the row.
   *
   * @throws CliError when the gateway is away for longer than the bound, or when no row can succeed: the key is refused,
   * or the address is not that of an inbound gateway.
   */
  async send(body: RequestBody, line: number, signal: AbortSignal): Promise<SendOutcome> {
    const text = JSON.stringify(body);
    let failedSinceMs: number | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(text, line, signal);
      if (answer.kind !== 'transient') return answer;
      if (answer.isRateLimit) continue;
      failedSinceMs ??= performance.now();
      const given = this.#giveUp(failedSinceMs, answer.reason);
      if (given !== undefined) return given;
      this.#noteOutage(attempt, answer.reason);
      await sleep(retryDelayMs(attempt, answer.retryAfterMs), undefined, { signal });
    }
  }

  /** Past the bound: a row that fails while others succeed is rejected; when nothing succeeds, the import stops. */
  #giveUp(failedSinceMs: number, reason: string): SendOutcome | undefined {
    const nowMs = performance.now();
    const boundMs = this.#lastAnswerMs === undefined ? this.#options.firstAnswerMs : this.#options.outageMs;
    if (nowMs - failedSinceMs < boundMs) return undefined;
    if (this.#lastAnswerMs !== undefined && nowMs - this.#lastAnswerMs < boundMs / 2) {
      return { kind: 'rejected', problems: [{ field: '', reason: `not created after many attempts: ${reason}` }] };
    }
    if (nowMs - (this.#lastAnswerMs ?? 0) < boundMs) return undefined;
    throw new CliError(`The inbound gateway ${this.#options.url} does not answer: ${reason}.`);
  }

  /** Not at the first failures, which are over in a moment, and once an outage, not once a worker. */
  #noteOutage(attempt: number, reason: string): void {
    if (attempt < 3 || this.#isOutageNoted) return;
    this.#isOutageNoted = true;
    this.#options.onWait(`The gateway is away, trying again: ${reason}`);
  }

  async #attempt(text: string, line: number, signal: AbortSignal): Promise<SendOutcome | Transient> {
    await this.#gate.enter(signal);
    let response: Response;
    let content: string;
    try {
      response = await fetch(this.#endpoint, this.#request(text, line));
      content = await response.text();
    } catch (error) {
      this.#gate.leave();
      return { kind: 'transient', reason: errorText(error), retryAfterMs: undefined, isRateLimit: false };
    }
    const retryAfterMs = readRetryAfterMs(response.headers.get('retry-after'));
    if (response.status === 429) this.#gate.closeFor(retryAfterMs ?? 1000);
    this.#gate.leave(readRateLimit(response.headers.get('ratelimit')));
    if (response.status === 429) return { kind: 'transient', reason: 'HTTP 429', retryAfterMs, isRateLimit: true };
    if (transientStatuses.has(response.status)) {
      const reason = `HTTP ${response.status} ${readMessage(parseJson(content))}`.trim();
      return { kind: 'transient', reason, retryAfterMs, isRateLimit: false };
    }
    this.#lastAnswerMs = performance.now();
    this.#isOutageNoted = false;
    return readAnswer(this.#options.object, this.#endpoint, response, parseJson(content));
  }

  #request(text: string, line: number): RequestInit {
    const headers: Record<string, string> = { 'content-type': 'application/json', 'x-api-key': this.#options.apiKey };
    if (this.#options.object === 'note') {
      // The line tells equal notes of one file apart; the same file sent again gives the same keys.
      headers['idempotency-key'] = `import-${createHash('sha256').update(`${line}\n${text}`).digest('hex')}`;
    }
    return { method: 'POST', headers, body: text, signal: AbortSignal.timeout(requestTimeoutMs), redirect: 'error' };
  }
}

interface Transient {
  readonly kind: 'transient';
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly isRateLimit: boolean;
}
