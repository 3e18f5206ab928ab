import { setTimeout as sleep } from 'node:timers/promises';
import { types } from 'node:util';

import { CrmApiError, CrmError, type BulkResults, type CreateRecordOptions, type WriteAnswer } from '@crm/client';

import { CliError, errorCode, errorText } from '../../errors.js';
import { connectClient, gatewayErrorText, type GatewayAddress, type Gateways } from '../../api/gateways.js';
import type { RequestBody } from '../mapping/convert-row.js';
import { type AnswerReader, readAnswer, readRefusal, readResults, type SendOutcome } from './send-outcome.js';
import { collections, type ImportObject } from '../targets.js';

/** The destination of records, and how long to retry. */
export interface SenderOptions {
  readonly gateways: Gateways;
  readonly updateMatches: boolean;
  /** Whether each row names its pipeline: a pipeline that takes no opportunities is then a fault of the row. */
  readonly rowsNamePipelines: boolean;
  /** Sends up to 100 rows in one call instead of one row per call. */
  readonly isBulk: boolean;
  /** How long to retry if the gateway has answered before. */
  readonly outageMs: number;
  readonly onWait: (message: string) => void;
}

/** One row to send. */
export interface SendItem {
  /** The body of its create request. */
  readonly body: RequestBody;
  /** Set for notes, which have no natural key; null for the other objects. */
  readonly idempotencyKey: string | null;
}

/** How long to retry if the gateway has never answered, because then its address is probably wrong. */
const firstAnswerMs = 5_000;

/** Statuses that do not depend on the row: the gateway, or a proxy in front of it, is busy or restarting. */
const transientStatuses = [408, 502, 503, 504];

/** The create methods without types, for every object. The gateway validates the bodies that a mapping produces. */
interface Creates {
  create(body: RequestBody, options: CreateRecordOptions): Promise<WriteAnswer<Readonly<Record<string, unknown>>>>;
  bulkCreate(items: readonly RequestBody[], options: CreateRecordOptions): Promise<WriteAnswer<BulkResults>>;
}

/** Sends creates within the rate limit. After failures that do not depend on the row, it retries for a limited time. */
export class RecordSender {
  readonly #gateway: GatewayAddress;
  readonly #records: Creates;
  #inFlight = 0;
  #pausedUntilMs = 0;
  #lastAnswerMs: number | undefined;
  #isOutageNoted = false;
  readonly #unanswered = new Set<SendItem>();

  constructor(
    private readonly object: ImportObject,
    private readonly options: SenderOptions,
  ) {
    const { url, apiKey } = options.gateways;
    const groups = options.isBulk ? 'list,bulk' : 'list,inbound';
    this.#gateway = { name: 'inbound gateway', url, option: '--url', groups };
    // The client must not retry: what to retry, and for how long, depends on the other rows.
    const client = connectClient({
      inboundUrl: url,
      apiKey,
      maxRetries: 0,
      onRequest: () => void (this.#inFlight += 1),
      onResponse: ({ headers }) => this.#noteResponse(headers?.get('ratelimit') ?? ''),
    });
    this.#records = client[collections[object]] as unknown as Creates;
  }

  /** The number of rows with an unknown result, because the connection broke or the gateway failed. */
  get unanswered(): number {
    return this.#unanswered.size;
  }

  /**
   * Creates the records of a batch in order. Retries are safe: creates are idempotent by natural key, and those of
   * notes by an `Idempotency-Key`.
   *
   * @returns the outcome of each row.
   * @throws CliError if the gateway is unreachable for longer than the limit, or if no row can succeed because the key
   * is refused or the address is not that of an inbound gateway.
   */
  async send(items: readonly SendItem[], signal: AbortSignal): Promise<readonly SendOutcome[]> {
    const outcomes = await this.#sendPatiently(items, signal);
    for (const item of items) this.#unanswered.delete(item);
    return outcomes;
  }

  async #sendPatiently(items: readonly SendItem[], signal: AbortSignal): Promise<readonly SendOutcome[]> {
    let failedSinceMs: number | undefined;
    for (let attempt = 1; ; attempt += 1) {
      // Other requests may extend the pause in the meantime.
      while (this.#pausedUntilMs > performance.now())
        await sleep(Math.ceil(this.#pausedUntilMs - performance.now()), undefined, { signal });
      try {
        const outcomes = await this.#create(items);
        this.#noteAnswer();
        return outcomes;
      } catch (error) {
        if (!(error instanceof CrmError)) throw error;
        const refusal = error instanceof CrmApiError ? error : undefined;
        if (refusal?.status === 429) {
          this.#pause(refusal.retryAfterMs ?? 1000);
          continue;
        }
        if (refusal !== undefined && !isTransient(refusal, items)) {
          this.#noteAnswer();
          const outcome = readRefusal(this.#reader(), refusal, items.length);
          return items.map(() => outcome);
        }
        if (mayHaveArrived(error)) for (const item of items) this.#unanswered.add(item);
        failedSinceMs ??= performance.now();
        const given = this.#giveUp(failedSinceMs, error);
        if (given !== undefined) return items.map(() => given);
        this.#noteOutage(attempt, error);
        await sleep(retryDelayMs(attempt, refusal?.retryAfterMs ?? 0), undefined, { signal });
      }
    }
  }

  async #create(items: readonly SendItem[]): Promise<readonly SendOutcome[]> {
    const { isBulk, updateMatches } = this.options;
    const onMatch = updateMatches ? { onMatch: 'update' as const } : {};
    if (isBulk) {
      const bodies = items.map(({ body }) => body);
      const { data } = await this.#records.bulkCreate(bodies, { ...onMatch, idempotencyKey: null });
      return readResults(this.#reader(), data, items.length);
    }
    const send = async ({ body, idempotencyKey }: SendItem): Promise<SendOutcome> =>
      readAnswer(this.object, await this.#records.create(body, { ...onMatch, idempotencyKey }));
    return Promise.all(items.map(send));
  }

  #reader(): AnswerReader {
    const { object, options } = this;
    return { object, gateway: this.#gateway, rowsNamePipelines: options.rowsNamePipelines };
  }

  /** Counts the request as ended. Pauses all workers if those still running, which the header may not count yet, may use up a limit. */
  #noteResponse(rateLimit: string): void {
    this.#inFlight -= 1;
    // Each limit of the gateway is "name";r=<remaining requests>;t=<seconds until the reset>.
    for (const [, remaining, seconds] of rateLimit.matchAll(/;\s*r=(\d+);\s*t=(\d+)/g))
      if (Number(remaining) <= this.#inFlight) this.#pause(Number(seconds) * 1000);
  }

  #pause(durationMs: number): void {
    const nowMs = performance.now();
    if (this.#pausedUntilMs <= nowMs && durationMs >= 1000)
      this.options.onWait(`The rate limit is reached. Continuing in ${Math.ceil(durationMs / 1000)} s.`);
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, nowMs + durationMs);
  }

  /** After the time limit, rejects the rows if others succeed meanwhile. If no row succeeds, the import stops. */
  #giveUp(failedSinceMs: number, error: CrmError): SendOutcome | undefined {
    const nowMs = performance.now();
    const { outageMs } = this.options;
    const boundMs = this.#lastAnswerMs === undefined ? Math.min(firstAnswerMs, outageMs) : outageMs;
    if (nowMs - failedSinceMs < boundMs) return undefined;
    if (this.#lastAnswerMs !== undefined && nowMs - this.#lastAnswerMs < boundMs / 2) {
      const reason = `not created after many attempts: ${reasonOf(error)}`;
      return { kind: 'rejected', problems: [{ field: '', reason }] };
    }
    if (nowMs - (this.#lastAnswerMs ?? 0) < boundMs) return undefined;
    throw new CliError(gatewayErrorText(this.#gateway, error));
  }

  /** Reports an outage once for all workers, at the third attempt, because most outages end sooner. */
  #noteOutage(attempt: number, error: CrmError): void {
    if (attempt < 3 || this.#isOutageNoted) return;
    this.#isOutageNoted = true;
    this.options.onWait(`The gateway is unreachable, retrying: ${reasonOf(error)}`);
  }

  #noteAnswer(): void {
    this.#lastAnswerMs = performance.now();
    this.#isOutageNoted = false;
  }
}

/** A conflict on our idempotency key means that the first attempt is still running. Only notes without an id have such a key. */
const isTransient = ({ status }: CrmApiError, items: readonly SendItem[]): boolean =>
  transientStatuses.includes(status) || (status === 409 && items.some(({ idempotencyKey }) => idempotencyKey !== null));

/** Error codes of connections that were never established. */
const neverConnected = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH'];

/** Whether the gateway may have written the records without confirming it. */
const mayHaveArrived = ({ cause }: CrmError): boolean =>
  !neverConnected.includes(errorCode(types.isNativeError(cause) ? cause.cause : undefined) ?? '');

const reasonOf = (error: CrmError): string =>
  error instanceof CrmApiError ? `HTTP ${error.status} ${error.message}` : errorText(error);

/**
 * The wait before the next attempt. It doubles from 100 ms to 10 s, less a random part of up to half, so that workers
 * that failed together do not retry together. It is never shorter than the server asks, up to a minute.
 */
const retryDelayMs = (attempt: number, retryAfterMs: number): number =>
  Math.max(Math.min(retryAfterMs, 60_000), Math.min(10_000, 100 * 2 ** (attempt - 1)) * (0.5 + Math.random() / 2));
