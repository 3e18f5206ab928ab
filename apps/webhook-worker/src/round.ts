import {
  type ClaimedWebhook,
  type Deliveries,
  type DeliveryRequest,
  type DeliveryResult,
  type EventToSend,
  maxParked,
  type ParkedRecord,
  type WebhookAttemptRow,
} from '@crm/db';
import { type Attempt, eventMessage, type Message, testMessage } from '@crm/webhooks';
import { randomUUID } from 'node:crypto';

/** What a round needs from its process. */
export interface RoundParts {
  readonly read: (request: DeliveryRequest) => Promise<Deliveries>;
  /** Sends a message. `traceparent` is the trace context of the write; null if it was not traced. */
  readonly send: (message: Message, traceparent: string | null) => Promise<Attempt>;
  /** The times between the tries of an event. */
  readonly retryDelaysMs: readonly number[];
  /** Whether the process is stopping: then no further event is started. */
  readonly isStopping: () => boolean;
}

/** What to store after a round. */
export interface RoundResult {
  readonly result: Omit<DeliveryResult, 'is_released'>;
  /** Whether there is more to send now. */
  readonly hasMore: boolean;
}

/** The events of one endpoint that are in flight at the same time, each of another record. */
const maxInFlight = 16;
/** After as many failures without a success, the receiver counts as down. */
const failuresUntilFailing = 5;
const maxRetryAfterMs = 86_400_000;
const gone = 410;

type RecordKey = Pick<ParkedRecord, 'object' | 'record_id'>;
type ParkedUpdate = DeliveryResult['parked'][number];

const keyOf = ({ object, record_id: id }: RecordKey): string => `${object} ${id}`;
const recordOf = ({ object, recordId }: EventToSend): RecordKey => ({ object, record_id: recordId });

/** Runs work on items in their order, on at most `maxInFlight` at the same time. */
const inParallel = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const queue = items.values();
  const run = async (): Promise<void> => {
    for (const item of queue) await work(item);
  };
  await Promise.all(Array.from({ length: maxInFlight }, run));
};

/**
 * One round of deliveries to a claimed endpoint: a test if one is due, the retries that are due, a page of a replay and a page of the log.
 * Events of one record are sent one after the other. An event that fails is parked with the later events of its record.
 */
export class Round {
  readonly #webhook: ClaimedWebhook;
  readonly #parts: RoundParts;
  readonly #parked: Map<string, ParkedRecord | ParkedUpdate>;
  readonly #attempts: WebhookAttemptRow[] = [];
  readonly #emptied: RecordKey[] = [];
  /** Positions that a retry has delivered, so that a replay does not send them again. */
  readonly #retried = new Set<number>();
  #failuresInRow: number;
  #isFailing: boolean;
  #disabledBecause: string | null = null;

  constructor(webhook: ClaimedWebhook, parts: RoundParts) {
    this.#webhook = webhook;
    this.#parts = parts;
    this.#failuresInRow = webhook.failures;
    this.#isFailing = webhook.is_failing;
    this.#parked = new Map(webhook.parked.map((record) => [keyOf(record), record]));
  }

  /** Sends what is due. */
  async run(): Promise<RoundResult> {
    const { id, state, is_test_due: isTestDue, replay_until: replayUntil } = this.#webhook;
    let { position, replay_position: replayPosition } = this.#webhook;
    let hasMore = false;
    if (isTestDue) {
      const message = testMessage(randomUUID(), id, new Date());
      this.#log(await this.#parts.send(message, null), { type: 'webhook.test', events: 1, attempt: 1 });
    }
    if (state === 'active') {
      const isProbing = await this.#retry();
      if (replayPosition !== null && !this.#isFailing) {
        replayPosition = (await this.#sendPage(replayPosition, replayUntil)).position;
        hasMore = replayPosition !== replayUntil;
      }
      if (!this.#isFailing || isProbing) {
        const page = await this.#sendPage(position, null);
        hasMore ||= page.events > 0;
        position = page.position;
      }
    }
    return { hasMore: hasMore && !this.#isFailing && this.#mayStart(), result: this.#result(position, replayPosition) };
  }

  /** Sends nothing and disables the endpoint. */
  disable(because: string): RoundResult {
    this.#disabledBecause = because;
    return { hasMore: false, result: this.#result(this.#webhook.position, this.#webhook.replay_position) };
  }

  #result(position: number, replayPosition: number | null): RoundResult['result'] {
    return {
      position,
      replay_position: replayPosition,
      is_test_done: this.#webhook.is_test_due,
      failures: this.#failuresInRow,
      is_failing: this.#isFailing,
      disabled_because: this.#disabledBecause,
      parked: [...this.#parked.values()].filter((record) => 'delay_ms' in record),
      delivered: this.#emptied,
      attempts: this.#attempts,
    };
  }

  #mayStart(): boolean {
    return this.#disabledBecause === null && this.#parked.size < maxParked && !this.#parts.isStopping();
  }

  /**
   * Retries the records that are due. While the receiver is down, that is one record, and one new event follows: the receiver may be down
   * for some events only.
   * @returns whether this was the retry of a receiver that was down
   */
  async #retry(): Promise<boolean> {
    const due = this.#webhook.parked.filter(({ is_due: isDue }) => isDue);
    await inParallel(due, (record) => this.#retryRecord(record));
    return this.#webhook.is_failing && due.length > 0;
  }

  /** Sends the failed event of a record again, and the later events of the record. */
  async #retryRecord(record: ParkedRecord): Promise<void> {
    const { organization_id: organizationId, objects, types, changed, position: until } = this.#webhook;
    const after = record.position - 1;
    const page = await this.#parts.read({ organizationId, after, until, objects, types, changed, record });
    for (const event of page.events) {
      if (this.#parts.isStopping()) return;
      const attempt = event.position === record.position ? record.attempts + 1 : 1;
      if (!(await this.#deliver(event, page.logId, attempt))) return;
      this.#logDelivered({ first: event.position, last: event.position, events: 1 }, attempt);
      this.#retried.add(event.position);
      this.#parked.set(keyOf(record), {
        ...record,
        position: event.position + 1,
        attempts: 0,
        delay_ms: 0,
        error: null,
      });
    }
    if (page.nextPosition < until) return;
    this.#parked.delete(keyOf(record));
    this.#emptied.push({ object: record.object, record_id: record.record_id });
  }

  /**
   * Sends a page of the log, or its first event while the receiver is down.
   * @returns the last position that needs no further work, and how many events were read
   */
  async #sendPage(after: number, until: number | null): Promise<{ position: number; events: number }> {
    const { organization_id: organizationId, objects, types, changed } = this.#webhook;
    const page = await this.#parts.read({ organizationId, after, until, objects, types, changed, record: null });
    if (page.expired > 0) this.#logExpired(after, page);
    const ofRecord = new Map<string, Promise<void>>();
    let position = after;
    let delivered: { first: number; last: number; events: number } | null = null;
    const isProbe = this.#isFailing;
    await inParallel(isProbe ? page.events.slice(0, 1) : page.events, async (event) => {
      if (!this.#mayStart() || (this.#isFailing && !isProbe)) return;
      position = event.position;
      const key = keyOf(recordOf(event));
      const send = async (): Promise<void> => {
        // A replay may also send events before the one that failed.
        if ((this.#parked.get(key)?.position ?? Infinity) <= event.position || this.#retried.has(event.position))
          return;
        if (!(await this.#deliver(event, page.logId, 1))) return;
        const { first, last, events } = delivered ?? { first: event.position, last: 0, events: 0 };
        delivered = {
          first: Math.min(first, event.position),
          last: Math.max(last, event.position),
          events: events + 1,
        };
      };
      const sent = (ofRecord.get(key) ?? Promise.resolve()).then(send);
      ofRecord.set(key, sent);
      await sent;
    });
    this.#logDelivered(delivered, 1);
    const isComplete = position === (page.events.at(-1)?.position ?? after);
    return { position: isComplete ? page.nextPosition : position, events: page.events.length };
  }

  /** Makes one attempt, and parks the record if it fails. @returns whether the event was delivered */
  async #deliver(event: EventToSend, logId: string, attempt: number): Promise<boolean> {
    const message = eventMessage(event, this.#webhook.payload, logId);
    const result = await this.#parts.send(message, event.traceparent);
    if (result.isDelivered) {
      this.#failuresInRow = 0;
      this.#isFailing = false;
      return true;
    }
    this.#failuresInRow += 1;
    if (this.#failuresInRow >= failuresUntilFailing) this.#isFailing = true;
    const record = recordOf(event);
    const { type, position } = event;
    this.#log(result, { ...record, type, first_position: position, last_position: position, events: 1, attempt });
    const delayMs = this.#delayMs(attempt, result);
    this.#parked.set(keyOf(record), { ...record, position, attempts: attempt, delay_ms: delayMs, error: result.error });
    if (result.status === gone) this.#disabledBecause = 'the receiver answered 410 Gone';
    else if (delayMs === null && this.#isFailing) this.#disabledBecause = 'no delivery succeeded until the last try';
    return false;
  }

  /** The time until the next try; null after the last one. */
  #delayMs(attempt: number, { retryAfterMs }: Attempt): number | null {
    const scheduled = this.#parts.retryDelaysMs[attempt - 1];
    if (scheduled === undefined) return null;
    const jitter = 0.9 + Math.random() * 0.2;
    return Math.max(scheduled * jitter, Math.min(retryAfterMs ?? 0, maxRetryAfterMs));
  }

  #log(
    { isDelivered, status, error, response, durationMs }: Attempt,
    row: Omit<WebhookAttemptRow, 'outcome' | 'status' | 'error' | 'response' | 'duration_ms'>,
  ): void {
    const outcome = isDelivered ? 'delivered' : 'failed';
    this.#attempts.push({ ...row, outcome, status, error, response, duration_ms: durationMs });
  }

  #logDelivered(delivered: { first: number; last: number; events: number } | null, attempt: number): void {
    if (delivered === null) return;
    const { first, last, events } = delivered;
    this.#attempts.push({ outcome: 'delivered', first_position: first, last_position: last, events, attempt });
  }

  #logExpired(after: number, { expired, events, nextPosition }: Deliveries): void {
    const last = (events[0]?.position ?? nextPosition + 1) - 1;
    const error = 'these events were deleted by retention before they were delivered';
    this.#attempts.push({ outcome: 'expired', first_position: after + 1, last_position: last, events: expired, error });
  }
}
