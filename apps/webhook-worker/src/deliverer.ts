import type { ClaimedWebhook, Deliveries, DeliveryRequest, DeliveryResult, EventToSend } from '@crm/db';
import { type Attempt, eventMessage, type Message } from '@crm/webhooks';
import { type NextEvents, recordOf } from './next-events.js';
import type { Outcome, Parking } from './outcome.js';
import { Pace } from './pace.js';
import { Receiver, verdictOf } from './receiver.js';

/** What a round needs from its process. */
export interface RoundParts {
  readonly read: (request: DeliveryRequest) => Promise<Deliveries>;
  /** Sends a message. `traceparent` is the trace context of the write; null if it was not traced. */
  readonly send: (message: Message, traceparent: string | null) => Promise<Attempt>;
  /** Stores a result. @returns false if another worker has the endpoint */
  readonly save: (result: DeliveryResult) => Promise<boolean>;
  /** Takes one of the organization's share of running requests; null if there was none in time. The result gives it back. */
  readonly takeShare: () => Promise<(() => void) | null>;
  /** Whether an attempt may start: the process is not stopping, and it has the endpoint until the attempt has ended. */
  readonly mayStart: () => boolean;
  /** The times between the tries of an event. */
  readonly retryDelaysMs: readonly number[];
  /** How long a receiver may be without any success before its endpoint is disabled. */
  readonly disableAfterMs: number;
}

const maxRetryAfterMs = 86_400_000;
/** A record with which the receiver asked to wait so often, while it accepted others, counts as refused. */
const deferralsUntilFailed = 5;

/** Which try of an event it is. */
interface Try {
  /** From 1. */
  readonly attempt: number;
  /** How many times the receiver asked to wait with the event. */
  readonly deferrals: number;
  readonly isRetry: boolean;
}

/** The first try of an event of the log or of a replay. */
export const firstTry: Try = { attempt: 1, deferrals: 0, isRetry: false };

/** Makes the attempts of a round, and draws the conclusions: about the event, about the receiver, and about its pace. */
export class Deliverer {
  readonly receiver: Receiver;
  readonly pace: Pace;
  readonly #webhook: ClaimedWebhook;
  readonly #parts: RoundParts;
  readonly #next: NextEvents;
  readonly #outcome: Outcome;
  #probeAtMs: number;
  #disabledBecause: string | null = null;

  constructor(webhook: ClaimedWebhook, parts: RoundParts, next: NextEvents, outcome: Outcome) {
    this.receiver = new Receiver(webhook, parts.disableAfterMs);
    this.pace = new Pace(webhook.pace);
    this.#webhook = webhook;
    this.#parts = parts;
    this.#next = next;
    this.#outcome = outcome;
    this.#probeAtMs = performance.now() + (webhook.probe_ms ?? 0);
  }

  /** When the receiver gets the next new record; null unless it counts as down. */
  get probeAtMs(): number | null {
    return this.receiver.isFailing ? this.#probeAtMs : null;
  }

  /** Why to disable the endpoint; null if it stays. */
  get disabledBecause(): string | null {
    return this.#disabledBecause;
  }

  /** Whether an attempt may start. */
  mayStart(): boolean {
    return this.#disabledBecause === null && this.pace.waitUntilMs === null && this.#parts.mayStart();
  }

  /** Makes one attempt, and parks the record if it does not deliver. @returns whether the event was delivered */
  async deliver(event: EventToSend, logId: string, made: Try): Promise<boolean> {
    const { attempt, deferrals, isRetry } = made;
    const uncharged = { position: event.position, attempts: attempt - 1, deferrals, error: null };
    const giveBack = this.mayStart() ? await this.#parts.takeShare() : null;
    if (giveBack === null || !this.mayStart()) {
      giveBack?.();
      this.#park(event, { ...uncharged, retryAtMs: 0 });
      return false;
    }
    const startedMs = performance.now();
    const result = await this.#parts
      .send(eventMessage(event, this.#webhook.payload, logId), event.traceparent)
      .finally(giveBack);
    const isRefusedAlone = isRetry && deferrals >= deferralsUntilFailed && this.pace.refusals === 0;
    const found = verdictOf(result);
    const verdict = found === 'deferred' && isRefusedAlone ? 'failed' : found;
    if (verdict === 'delivered') {
      this.pace.accepted();
      this.receiver.delivered();
      return true;
    }
    this.#outcome.logFailed(event, verdict, attempt, result);
    if (verdict === 'deferred') {
      this.pace.refused(startedMs, performance.now(), result.retryAfterMs);
      const retryAtMs = this.pace.waitUntilMs;
      this.#park(event, { ...uncharged, deferrals: deferrals + 1, retryAtMs, error: result.error });
      return false;
    }
    this.#fail(event, made, result);
    if (verdict === 'gone') this.#disabledBecause = 'the receiver answered 410 Gone';
    return false;
  }

  #fail(event: EventToSend, { attempt, isRetry }: Try, result: Attempt): void {
    const nowMs = performance.now();
    this.pace.failed();
    this.receiver.failed(!isRetry);
    if (!isRetry) this.#probeAtMs = nowMs + this.receiver.probeDelayMs;
    const delayMs = this.#delayMs(attempt, result);
    const retryAtMs = delayMs === null ? null : nowMs + delayMs;
    const { position } = event;
    this.#park(event, { position, attempts: attempt, deferrals: 0, retryAtMs, error: result.error }, true);
    this.#disabledBecause ??= this.receiver.disabledBecause;
  }

  #park(event: EventToSend, parking: Omit<Parking, 'record' | 'hasFailed'>, hasFailed = false): void {
    const record = recordOf(event);
    this.#next.park(record, parking.position);
    this.#outcome.park({ record, hasFailed, ...parking });
  }

  /** The time until the next try; null after the last one. */
  #delayMs(attempt: number, { retryAfterMs }: Attempt): number | null {
    const scheduled = this.#parts.retryDelaysMs[attempt - 1];
    if (scheduled === undefined) return null;
    const jitter = 0.9 + Math.random() * 0.2;
    return Math.max(scheduled * jitter, Math.min(retryAfterMs ?? 0, maxRetryAfterMs));
  }
}
