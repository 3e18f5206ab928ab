import { setTimeout as sleep } from 'node:timers/promises';

import { CliError, errorText } from '../errors.js';
import { retryDelayMs } from './backoff.js';
import {
  parseJson,
  readAnswer,
  readBulkAnswer,
  readMessage,
  readRetryAfterMs,
  type SendOutcome,
} from './inbound-answer.js';
import { RateGate, readRateLimit } from './rate-gate.js';
import { createPath, type ImportObject } from './targets.js';

/** How to reach the inbound gateway, and for how long to try. */
export interface InboundOptions {
  readonly url: string;
  readonly apiKey: string;
  readonly object: ImportObject;
  readonly updateMatches: boolean;
  /** Sends up to 100 rows in one call, rather than each in its own. */
  readonly isBulk: boolean;
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
    this.#endpoint = `${options.url}${createPath(options.object)}${options.isBulk ? '/bulk' : ''}${options.updateMatches ? '?on_match=update' : ''}`;
    this.#gate = new RateGate((seconds) => options.onWait(`The rate limit is reached; going on in ${seconds} s.`));
  }

  /**
   * Creates the records of a batch, in its order. Sending it again is safe: creation is idempotent by natural key, and for
   * notes, which have none, by an `Idempotency-Key`.
   *
   * @param patience - the share of the bound to wait for; halves of a batch that was waited for wait less, so that one bad row
   * costs two bounds at most
   * @returns what became of each.
   * @throws CliError when the gateway is away for longer than the bound, or when no row can succeed: the key is refused,
   * or the address is not that of an inbound gateway.
   */
  async send(items: readonly SendItem[], signal: AbortSignal, patience = 1): Promise<readonly SendOutcome[]> {
    const outcomes = await this.#sendTogether(items, signal, patience);
    if (outcomes !== undefined) return outcomes;
    // One row at fault must not take the others with it: each half is asked about alone, down to that row.
    const middle = Math.ceil(items.length / 2);
    const first = await this.send(items.slice(0, middle), signal, patience / 2);
    return [...first, ...(await this.send(items.slice(middle), signal, patience / 2))];
  }

  async #sendTogether(
    items: readonly SendItem[],
    signal: AbortSignal,
    patience: number,
  ): Promise<readonly SendOutcome[] | undefined> {
    const request = this.#request(items);
    let failedSinceMs: number | undefined;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.#attempt(request, items.length, signal);
      if (answer === undefined || 'outcomes' in answer) return answer?.outcomes;
      if (answer.isRateLimit) continue;
      failedSinceMs ??= performance.now();
      const given = this.#giveUp(failedSinceMs, patience, answer.reason);
      if (given !== undefined) return items.length > 1 ? undefined : [given];
      this.#noteOutage(attempt, answer.reason);
      await sleep(retryDelayMs(attempt, answer.retryAfterMs), undefined, { signal });
    }
  }

  /** Past the bound: a row that fails while others succeed is rejected; when nothing succeeds, the import stops. */
  #giveUp(failedSinceMs: number, patience: number, reason: string): SendOutcome | undefined {
    const nowMs = performance.now();
    const boundMs = this.#lastAnswerMs === undefined ? this.#options.firstAnswerMs : this.#options.outageMs;
    if (nowMs - failedSinceMs < patience * boundMs) return undefined;
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

  async #attempt(
    request: PreparedRequest,
    count: number,
    signal: AbortSignal,
  ): Promise<{ readonly outcomes: readonly SendOutcome[] } | Transient | undefined> {
    await this.#gate.enter(signal);
    let response: Response;
    let content: string;
    try {
      const timeout = AbortSignal.timeout(requestTimeoutMs);
      response = await fetch(this.#endpoint, { ...request, method: 'POST', signal: timeout, redirect: 'error' });
      content = await response.text();
    } catch (error) {
      this.#gate.leave();
      return { reason: errorText(error), retryAfterMs: undefined, isRateLimit: false };
    }
    const retryAfterMs = readRetryAfterMs(response.headers.get('retry-after'));
    if (response.status === 429) this.#gate.closeFor(retryAfterMs ?? 1000);
    this.#gate.leave(readRateLimit(response.headers.get('ratelimit')));
    if (response.status === 429) return { reason: 'HTTP 429', retryAfterMs, isRateLimit: true };
    const body = parseJson(content);
    if (transientStatuses.has(response.status)) {
      const reason = `HTTP ${response.status} ${readMessage(body)}`.trim();
      return { reason, retryAfterMs, isRateLimit: false };
    }
    this.#lastAnswerMs = performance.now();
    this.#isOutageNoted = false;
    const { object, isBulk } = this.#options;
    if (!isBulk) return { outcomes: [readAnswer(object, this.#endpoint, response, body)] };
    const outcomes = readBulkAnswer(object, this.#endpoint, response, body, count);
    return outcomes === undefined ? undefined : { outcomes };
  }

  #request(items: readonly SendItem[]): PreparedRequest {
    const headers: Record<string, string> = { 'content-type': 'application/json', 'x-api-key': this.#options.apiKey };
    const [item] = items;
    if (this.#options.isBulk) return { headers, body: `{"items":[${items.map(({ text }) => text).join(',')}]}` };
    if (item?.idempotencyKey !== undefined) headers['idempotency-key'] = item.idempotencyKey;
    return { headers, body: item?.text ?? '' };
  }
}

/** One row to send. */
export interface SendItem {
  /** The body of its create request, as JSON. */
  readonly text: string;
  /** Of notes, which have no natural key. */
  readonly idempotencyKey: string | undefined;
}

interface PreparedRequest {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

interface Transient {
  readonly reason: string;
  readonly retryAfterMs: number | undefined;
  readonly isRateLimit: boolean;
}
