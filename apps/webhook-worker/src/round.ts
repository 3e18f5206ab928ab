import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClaimedWebhook,
  type Deliveries,
  type DeliveryRequest,
  type DeliveryResult,
  type EventToSend,
  maxParked,
  type ParkedRecord,
} from '@crm/db';
import { testMessage } from '@crm/webhooks';
import { randomUUID } from 'node:crypto';
import { Deliverer, firstTry, type RoundParts } from './deliverer.js';
import { NextEvents } from './next-events.js';
import { Outcome } from './outcome.js';
import { maxInFlight } from './pace.js';
import { verdictOf } from './receiver.js';
import { Turns } from './turns.js';

/** After this time a round starts no retry, and no new event unless a retry is running. Then other endpoints have their turn. */
const roundMs = 10_000;
/** How many retries run at the same time. */
const maxRetrying = 4;
/** How often the log is read while only retries are running, and the longest pause between two new records of a failing receiver. */
const idleMs = 200;
const longestPauseMs = 1_000;
/**
 * One round of deliveries to a claimed endpoint: a test if one is due, then the retries that are due, and beside them the pages of the log
 * and of a replay. Events of one record are sent one after the other. An event that fails is parked with the later events of its record.
 */
export class Round {
  readonly #webhook: ClaimedWebhook;
  readonly #parts: RoundParts;
  readonly #next: NextEvents;
  readonly #deliverer: Deliverer;
  readonly #turns: Turns;
  readonly #outcome: Outcome;
  readonly #endsAtMs: number;
  #position: number;
  #savedPosition: number;
  #replayPosition: number | null;
  #isTestDone = false;
  #isRetrying = false;
  #isOver = false;

  constructor(webhook: ClaimedWebhook, parts: RoundParts) {
    this.#webhook = webhook;
    this.#parts = parts;
    this.#next = new NextEvents(webhook.position);
    this.#outcome = new Outcome(webhook.due);
    this.#deliverer = new Deliverer(webhook, parts, this.#next, this.#outcome);
    this.#turns = new Turns(this.#deliverer.pace);
    this.#endsAtMs = performance.now() + roundMs;
    this.#position = webhook.position;
    this.#savedPosition = webhook.position;
    this.#replayPosition = webhook.replay_position;
  }

  /** Sends what is due, and stores the results. */
  async run(): Promise<void> {
    try {
      if (this.#webhook.is_test_due) await this.#sendTest();
      if (this.#webhook.state === 'active') await this.#sendEvents();
    } finally {
      await this.#save(true);
    }
  }

  async #sendTest(): Promise<void> {
    const result = await this.#parts.send(testMessage(randomUUID(), this.#webhook.id, new Date()), null);
    this.#outcome.logTest(verdictOf(result), result);
    this.#isTestDone = true;
  }

  /**
   * Retries never delay a page. Only after the receiver asked to wait, what comes first takes turns, because a single request may show
   * again that it asks to wait.
   */
  async #sendEvents(): Promise<void> {
    const { refusals } = this.#deliverer.pace;
    const lanes = [() => this.#retry(refusals > 0), () => this.#sendPages()];
    if (refusals === 0) {
      // A lane that cannot read from the database ends the other one.
      const ended = await Promise.allSettled(lanes.map((lane) => lane().catch((error: unknown) => this.#stop(error))));
      for (const lane of ended) if (lane.status === 'rejected') throw lane.reason;
    } else for (const lane of refusals % 2 === 1 ? lanes : lanes.toReversed()) await lane();
  }

  #stop(error: unknown): never {
    this.#isOver = true;
    throw error;
  }

  #mayStart(): boolean {
    return !this.#isOver && this.#deliverer.mayStart();
  }

  readonly #mayRetry = (): boolean => this.#mayStart() && performance.now() < this.#endsAtMs;

  readonly #maySendNew = (): boolean =>
    this.#mayStart() &&
    (this.#isRetrying || performance.now() < this.#endsAtMs) &&
    this.#webhook.parked + this.#outcome.newlyParked < maxParked;

  /** Retries the records that are due. @param onlyDeferred - leaves out those that failed */
  async #retry(onlyDeferred: boolean): Promise<void> {
    const due = this.#webhook.due.filter(({ deferrals }) => !onlyDeferred || deferrals > 0);
    this.#isRetrying = due.length > 0;
    const queue = due.values();
    for (const { position, ...record } of this.#webhook.due) this.#next.park(record, position);
    const work = async (): Promise<void> => {
      for (const record of queue) await this.#retryRecord(record);
    };
    await Promise.all(Array.from({ length: maxRetrying }, work)).finally(() => {
      this.#isRetrying = false;
    });
  }

  /** Sends the parked event of a record again, and the later events of the record. */
  async #retryRecord(parked: ParkedRecord): Promise<void> {
    const { object, record_id, position } = parked;
    const record = { object, record_id };
    let after = position - 1;
    while (this.#mayRetry()) {
      const page = await this.#read(after, this.#next.decided, { record });
      if (page.expired > 0) this.#outcome.advance(record, after + page.expired + 1);
      this.#outcome.logExpired(after, page, record);
      for (const event of page.events) {
        const isParked = event.position === position;
        const { attempts, deferrals } = isParked ? parked : { attempts: 0, deferrals: 0 };
        if (!(await this.#turns.enter(this.#mayRetry))) return;
        const isDelivered = await this.#deliverer.deliver(event, page.logId, {
          attempt: attempts + 1,
          deferrals,
          isRetry: true,
        });
        this.#turns.leave();
        if (!isDelivered) return;
        this.#outcome.logDelivered({ first: event.position, last: event.position, events: 1 }, attempts + 1);
        this.#next.retried(event.position);
        this.#outcome.advance(record, event.position + 1);
      }
      after = page.nextPosition;
      if (!this.#next.unpark(record, after)) continue;
      this.#outcome.unpark(record);
      return;
    }
  }

  /** Sends pages of the log and of a replay, until nothing is left or the round ends. While the receiver is down, one event at a time. */
  async #sendPages(): Promise<void> {
    while (this.#maySendNew()) {
      const pauseMs = (this.#deliverer.probeAtMs ?? 0) - performance.now();
      if (pauseMs > 0) {
        if (pauseMs > longestPauseMs && !this.#isRetrying) return;
        await sleep(Math.min(pauseMs, longestPauseMs));
        continue;
      }
      const before = this.#position;
      if (this.#isReplayNext)
        this.#replayPosition = await this.#sendPage(this.#replayPosition ?? 0, this.#webhook.replay_until);
      this.#position = await this.#sendPage(this.#position, null);
      if (!(await this.#save(false))) return;
      if (this.#isReplayNext || this.#position > before) continue;
      if (!this.#isRetrying) return;
      await sleep(idleMs);
    }
  }

  /** Whether a page of a replay is next. It waits for the retries, which may send the same events, and for a receiver that is down. */
  get #isReplayNext(): boolean {
    const isOpen = this.#replayPosition !== null && this.#replayPosition !== this.#webhook.replay_until;
    return isOpen && !this.#isRetrying && !this.#deliverer.receiver.isFailing;
  }

  /** Sends a page of the log, or its first event while the receiver is down. @returns the last position that needs no further work */
  async #sendPage(after: number, until: number | null): Promise<number> {
    const isProbe = this.#deliverer.receiver.isFailing;
    const page = await this.#read(after, until, { isProbe });
    this.#outcome.logExpired(after, page, null);
    const queue = page.events.values();
    const ofRecord = new Map<string, Promise<void>>();
    const delivered: number[] = [];
    let position = after;
    const send = async (event: EventToSend): Promise<void> => {
      if (!this.#next.isNext(event)) return;
      if (await this.#deliverer.deliver(event, page.logId, firstTry)) delivered.push(event.position);
    };
    const work = async (): Promise<void> => {
      while (await this.#turns.enter(() => this.#maySendNew() && (isProbe || !this.#deliverer.receiver.isFailing))) {
        const { value: event } = queue.next();
        if (event !== undefined) {
          position = event.position;
          if (until === null) this.#next.decide(position);
          const sent = (ofRecord.get(event.recordId) ?? Promise.resolve()).then(() => send(event));
          ofRecord.set(event.recordId, sent);
          await sent;
        }
        this.#turns.leave();
        if (event === undefined) return;
      }
    };
    await Promise.all(Array.from({ length: Math.min(maxInFlight, page.events.length) }, work));
    const range = { first: Math.min(...delivered), last: Math.max(...delivered), events: delivered.length };
    this.#outcome.logDelivered(delivered.length === 0 ? null : range, 1);
    if (position !== (page.events.at(-1)?.position ?? after)) return position;
    if (until === null) this.#next.decide(page.nextPosition);
    return page.nextPosition;
  }

  #read(
    after: number,
    until: number | null,
    { record = null, isProbe = false }: Partial<Pick<DeliveryRequest, 'record' | 'isProbe'>>,
  ): Promise<Deliveries> {
    const { organization_id: organizationId, id: webhookId, objects, types, changed } = this.#webhook;
    return this.#parts.read({ organizationId, webhookId, after, until, objects, types, changed, record, isProbe });
  }

  /** Stores what has happened since the last save. @returns false if another worker has the endpoint, which ends the round */
  async #save(isReleased: boolean): Promise<boolean> {
    if (this.#isOver && !isReleased) return false;
    if (!isReleased && this.#outcome.isEmpty && this.#position === this.#savedPosition) return true;
    const nowMs = performance.now();
    const { receiver, pace, probeAtMs, disabledBecause } = this.#deliverer;
    const { isFailing, failures, hasFailed } = receiver;
    const msUntil = (atMs: number | null): number | null => (atMs === null ? null : Math.max(0, atMs - nowMs));
    const result: DeliveryResult = {
      updated_at: this.#webhook.updated_at,
      position_before: this.#savedPosition,
      position: this.#position,
      replay_position: this.#replayPosition,
      is_test_done: this.#isTestDone,
      failures,
      is_failing: isFailing,
      has_failed: hasFailed,
      probe_ms: msUntil(probeAtMs),
      wait_ms: msUntil(pace.waitUntilMs),
      pace: pace.state,
      disabled_because: disabledBecause,
      is_released: isReleased,
      ...this.#outcome.take(nowMs),
    };
    this.#savedPosition = this.#position;
    this.#isTestDone = false;
    if (this.#replayPosition === this.#webhook.replay_until) this.#replayPosition = null;
    const isSaved = await this.#parts.save(result);
    if (!isSaved) this.#isOver = true;
    return isSaved;
  }
}
