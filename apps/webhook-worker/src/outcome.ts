import type { Deliveries, DeliveryResult, EventToSend, EventRecord, WebhookAttemptRow } from '@crm/db';
import type { Attempt } from '@crm/webhooks';
import { keyOf, recordOf } from './next-events.js';
import type { Verdict } from './receiver.js';

type ParkedUpdate = DeliveryResult['parked'][number];

/** A record whose events wait, and why. */
export interface Parking {
  readonly record: EventRecord;
  readonly position: number;
  /** How many tries of the event at `position` were charged. */
  readonly attempts: number;
  /** How many times the receiver asked to wait with it. */
  readonly deferrals: number;
  /** When the next try is due, on the clock of the process; null after the last try. */
  readonly retryAtMs: number | null;
  readonly error: string | null;
  readonly hasFailed: boolean;
}

interface Range {
  readonly first: number;
  readonly last: number;
  readonly events: number;
}

/** What to store: the attempts and the changes of parked records since the last save. */
export class Outcome {
  #attempts: WebhookAttemptRow[] = [];
  readonly #parked = new Map<string, Parking>();
  readonly #delivered = new Map<string, EventRecord>();
  /** The positions of parked records in the database. */
  readonly #stored = new Map<string, number>();

  /** @param parked - the records of this round that the database has */
  constructor(parked: readonly (EventRecord & { readonly position: number })[]) {
    for (const record of parked) this.#stored.set(keyOf(record), record.position);
  }

  /** The records that are parked more than those that the database has. */
  get newlyParked(): number {
    return [...this.#parked.keys()].filter((key) => !this.#stored.has(key)).length;
  }

  /** Whether a save would store something besides the position. */
  get isEmpty(): boolean {
    return this.#attempts.length + this.#parked.size + this.#delivered.size === 0;
  }

  /** A record waits for its next try. */
  park(parking: Parking): void {
    this.#delivered.delete(keyOf(parking.record));
    this.#parked.set(keyOf(parking.record), parking);
  }

  /** The events of a parked record before a position are delivered or expired; the later ones are due. */
  advance(record: EventRecord, position: number): void {
    this.park({ record, position, attempts: 0, deferrals: 0, retryAtMs: 0, error: null, hasFailed: false });
  }

  /** A parked record has no event left. */
  unpark(record: EventRecord): void {
    this.#parked.delete(keyOf(record));
    this.#delivered.set(keyOf(record), record);
  }

  /** A try that did not deliver. */
  logFailed(event: EventToSend, verdict: Verdict, attempt: number, result: Attempt): void {
    const { type, position } = event;
    const range = { first_position: position, last_position: position, events: 1 };
    this.#log(result, verdict, { ...recordOf(event), type, ...range, attempt });
  }

  /** The message of a test. */
  logTest(verdict: Verdict, result: Attempt): void {
    this.#log(result, verdict, { type: 'webhook.test', events: 1, attempt: 1 });
  }

  /** Deliveries at the same try; null if there were none. */
  logDelivered(range: Range | null, attempt: number): void {
    if (range === null) return;
    const { first, last, events } = range;
    this.#attempts.push({ outcome: 'delivered', first_position: first, last_position: last, events, attempt });
  }

  /** Events that retention deleted. Those of a record are not counted: at least the one that was parked is gone. */
  logExpired(after: number, { expired }: Pick<Deliveries, 'expired'>, record: EventRecord | null): void {
    if (expired === 0) return;
    const error = 'these events were deleted by retention before they were delivered';
    const range = { first_position: after + 1, last_position: after + expired, events: record === null ? expired : 1 };
    this.#attempts.push({ outcome: 'expired', ...record, ...range, error });
  }

  /** Returns what to store, and empties it. */
  take(nowMs: number): Pick<DeliveryResult, 'attempts' | 'parked' | 'delivered'> {
    const parked = [...this.#parked].map(([key, { record, retryAtMs, hasFailed, ...rest }]): ParkedUpdate => {
      const delayMs = retryAtMs === null ? null : Math.max(0, retryAtMs - nowMs);
      return { ...record, ...rest, was: this.#stored.get(key) ?? null, delay_ms: delayMs, has_failed: hasFailed };
    });
    const delivered = [...this.#delivered].map(([key, record]) => ({ ...record, was: this.#stored.get(key) ?? null }));
    const attempts = this.#attempts;
    for (const [key, { position }] of this.#parked) this.#stored.set(key, position);
    for (const key of this.#delivered.keys()) this.#stored.delete(key);
    this.#attempts = [];
    this.#parked.clear();
    this.#delivered.clear();
    return { attempts, parked, delivered };
  }

  #log(
    { status, error, response, durationMs }: Attempt,
    verdict: Verdict,
    row: Omit<WebhookAttemptRow, 'outcome' | 'status' | 'error' | 'response' | 'duration_ms'>,
  ): void {
    const outcome = verdict === 'gone' ? 'failed' : verdict;
    this.#attempts.push({ ...row, outcome, status, error, response, duration_ms: durationMs });
  }
}

/** A result without the texts from outside: they may be what the database refuses. */
export const withoutTexts = (result: DeliveryResult): DeliveryResult => ({
  ...result,
  parked: result.parked.map((record) => ({ ...record, error: null })),
  attempts: result.attempts.map(({ response: _response, ...attempt }) => ({
    ...attempt,
    ...(typeof attempt.error === 'string' && { error: 'the error and the answer could not be stored' }),
  })),
});
