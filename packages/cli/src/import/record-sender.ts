import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';

import {
  CrmApiError,
  CrmError,
  type BulkResults,
  type CreateRecordOptions,
  type CrmClient,
  type WriteAnswer,
} from '@crm/client';

import { CliError, errorCode, errorText } from '../errors.js';
import { connectClient, gatewayErrorText, type GatewayAddress } from '../gateway-client.js';
import { retryDelayMs } from './backoff.js';
import type { RequestBody } from './convert-row.js';
import { RateGate } from './rate-gate.js';
import { readAnswer, readRefusal, readResults, type SendOutcome } from './send-outcome.js';
import { collectionOf, type ImportObject } from './targets.js';

/** Where records go, and for how long to try. */
export interface SenderOptions {
  /** Address of the inbound gateway. */
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

/** One row to send. */
export interface SendItem {
  /** The body of its create request. */
  readonly body: RequestBody;
  /** Of notes, which have no natural key; null for the others. */
  readonly idempotencyKey: string | null;
}

/** Answers that say nothing about the row: the gateway, or the proxy before it, is busy or restarting. */
const transientStatuses = new Set([408, 502, 503, 504]);

/** Creates as they are for every kind of record: what a mapping makes of a row is for the gateway to judge. */
interface Creates {
  create(body: RequestBody, options: CreateRecordOptions): Promise<WriteAnswer<unknown>>;
  bulkCreate(items: readonly RequestBody[], options: CreateRecordOptions): Promise<WriteAnswer<BulkResults>>;
}

/** Sends creates: within the rate limit, again after failures that say nothing about the row, never for ever. */
export class RecordSender {
  readonly #options: SenderOptions;
  readonly #gateway: GatewayAddress;
  readonly #gate: RateGate;
  readonly #records: Creates;
  #lastAnswerMs: number | undefined;
  #isOutageNoted = false;
  readonly #unanswered = new Set<SendItem>();

  constructor(options: SenderOptions) {
    const { url, apiKey, object, isBulk, onWait } = options;
    this.#options = options;
    this.#gateway = { name: 'inbound gateway', url, option: '--url', groups: isBulk ? 'list,bulk' : 'list,inbound' };
    this.#gate = new RateGate((seconds) => onWait(`The rate limit is reached; going on in ${seconds} s.`));
    // What is tried again, and for how long, depends on how the other rows fare, of which the client knows nothing.
    const client: CrmClient = connectClient({ readUrl: url, apiKey, maxRetries: 0, fetch: this.#gate.fetch });
    this.#records = client[collectionOf(object)] as unknown as Creates;
  }

  /** How many rows were sent with an unknown result: the connection broke, or a gateway failed over them. */
  get unanswered(): number {
    return this.#unanswered.size;
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
    if (outcomes !== undefined) {
      for (const item of items) this.#unanswered.delete(item);
      return outcomes;
    }
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
    let failedSinceMs: number | undefined;
    for (let attempt = 1; ; attempt += 1) {
      await this.#gate.enter(signal);
      try {
        const outcomes = await this.#create(items);
        this.#noteAnswer();
        return outcomes;
      } catch (error) {
        if (!(error instanceof CrmError)) throw error;
        if (error instanceof CrmApiError && error.status === 429) {
          this.#gate.closeFor(error.retryAfterMs ?? 1000);
          continue;
        }
        if (error instanceof CrmApiError && !isTransient(error, items)) {
          this.#noteAnswer();
          const refusal = readRefusal(this.#options.object, this.#gateway, error);
          return items.length > 1 ? undefined : [refusal];
        }
        if (mayHaveArrived(error)) for (const item of items) this.#unanswered.add(item);
        failedSinceMs ??= performance.now();
        const given = this.#giveUp(failedSinceMs, patience, error);
        if (given !== undefined) return items.length > 1 ? undefined : [given];
        this.#noteOutage(attempt, error);
        const retryAfterMs = error instanceof CrmApiError ? error.retryAfterMs : null;
        await sleep(retryDelayMs(attempt, retryAfterMs ?? 0), undefined, { signal });
      }
    }
  }

  async #create(items: readonly SendItem[]): Promise<readonly SendOutcome[]> {
    const { object, isBulk, updateMatches } = this.#options;
    const onMatch = updateMatches ? { onMatch: 'update' as const } : {};
    if (isBulk) {
      const bodies = items.map(({ body }) => body);
      const { data } = await this.#records.bulkCreate(bodies, { ...onMatch, idempotencyKey: null });
      return readResults(object, this.#gateway, data, items.length);
    }
    const send = async ({ body, idempotencyKey }: SendItem): Promise<SendOutcome> =>
      readAnswer(await this.#records.create(body, { ...onMatch, idempotencyKey }));
    return Promise.all(items.map(send));
  }

  /** Past the bound: a row that fails while others succeed is rejected; when nothing succeeds, the import stops. */
  #giveUp(failedSinceMs: number, patience: number, error: CrmError): SendOutcome | undefined {
    const nowMs = performance.now();
    const boundMs = this.#lastAnswerMs === undefined ? this.#options.firstAnswerMs : this.#options.outageMs;
    if (nowMs - failedSinceMs < patience * boundMs) return undefined;
    if (this.#lastAnswerMs !== undefined && nowMs - this.#lastAnswerMs < boundMs / 2) {
      const reason = `not created after many attempts: ${reasonOf(error)}`;
      return { kind: 'rejected', problems: [{ field: '', reason }] };
    }
    if (nowMs - (this.#lastAnswerMs ?? 0) < boundMs) return undefined;
    throw new CliError(gatewayErrorText(this.#gateway, error));
  }

  /** Not at the first failures, which are over in a moment, and once an outage, not once a worker. */
  #noteOutage(attempt: number, error: CrmError): void {
    if (attempt < 3 || this.#isOutageNoted) return;
    this.#isOutageNoted = true;
    this.#options.onWait(`The gateway is away, trying again: ${reasonOf(error)}`);
  }

  #noteAnswer(): void {
    this.#lastAnswerMs = performance.now();
    this.#isOutageNoted = false;
  }
}

/** A conflict over a key of ours means that the first try is still under way: nothing else conflicts with a create. */
const isTransient = ({ status }: CrmApiError, items: readonly SendItem[]): boolean =>
  transientStatuses.has(status) || (status === 409 && items.some(({ idempotencyKey }) => idempotencyKey !== null));

/** Codes of connections that never came about. */
const neverConnected = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']);

/** Whether the gateway may have written what was sent, though it did not say so. */
const mayHaveArrived = ({ cause }: CrmError): boolean =>
  !neverConnected.has(errorCode(types.isNativeError(cause) ? cause.cause : undefined) ?? '');

const reasonOf = (error: CrmError): string =>
  error instanceof CrmApiError ? `HTTP ${error.status} ${error.message}` : errorText(error);
