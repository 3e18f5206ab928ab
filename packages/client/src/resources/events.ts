import type { Answer, WriteAnswer } from '../answer.js';
import { CrmApiError, CrmError, CrmStartOverError } from '../errors.js';
import type { CreateOptions, ReadOptions } from '../options.js';
import type { FollowEvents, ListEventsQuery } from '../queries.js';
import type { CrmEvent, CustomFieldTypes, EventsIn } from '../record-types.js';
import { RetryPlan, sleep } from '../retry.js';
import type { Send } from '../transport.js';
import type { Event, EventLogPage, LatestPosition, Restored } from '../types.js';

type EventObject = Event['object'];
type Page<E> = EventsIn<EventLogPage, E>;

/** The change log from a position, as an endless stream: `for await (const event of stream)`. */
export interface EventStream<E = CrmEvent> extends AsyncIterable<E> {
  /** The pages as received. To continue there later, store `next_position` and `log_id` of the last page. */
  pages(): AsyncIterable<Page<E>>;
}

/** The calls for the change log. */
export interface Events<C extends CustomFieldTypes> {
  /** One page, oldest first. */
  list<O extends EventObject = EventObject>(
    query?: ListEventsQuery<O>,
    options?: ReadOptions,
  ): Promise<Answer<Page<CrmEvent<C, O>>>>;
  /** The end of the log. Pass its `readAfter` to the lists that you read next, so that none of them is older. */
  latest(options?: ReadOptions): Promise<WriteAnswer<LatestPosition>>;
  /**
   * Every event after a position, as it happens. After the first page, the stream retries until an outage ends. The
   * signal ends the stream.
   * @throws CrmStartOverError when events after the position have expired, or the log is another one
   */
  iterate<O extends EventObject = EventObject>(options?: FollowEvents<O>): EventStream<CrmEvent<C, O>>;
  /** Undoes a deletion: that at a position of the log, or the last one of a record. */
  restore(
    body: { readonly position: number } | Pick<Restored, 'object' | 'id'>,
    options?: CreateOptions,
  ): Promise<WriteAnswer<Restored>>;
}

const defaultWaitSeconds = 20;
const defaultTimeoutMs = 30_000;
/** The shortest time between pages without events, in case a gateway does not wait. */
const leastPauseMs = 1_000;
const largestPage = 500;

/** The state of a stream from page to page. */
class LogReader<E> {
  readonly #send: Send;
  readonly #options: Omit<FollowEvents, 'logId'>;
  #after: number | undefined;
  #logId: string | undefined;
  #hasBegun = false;

  constructor(send: Send, { logId, ...options }: FollowEvents) {
    this.#send = send;
    this.#options = options;
    this.#after = options.after;
    this.#logId = logId;
  }

  async *pages(): AsyncGenerator<Page<E>, void, undefined> {
    for (;;) {
      const startedAtMs = performance.now();
      const page = await this.#readPatiently();
      this.#checkLog(page.log_id);
      this.#checkStart(page);
      this.#checkAdvance(page);
      this.#logId = page.log_id;
      this.#hasBegun = true;
      this.#after = page.next_position;
      yield page;
      const pauseMs = leastPauseMs - (performance.now() - startedAtMs);
      if (page.events.length === 0 && !page.has_more && pauseMs > 0) await sleep(pauseMs, this.#options.signal);
    }
  }

  /** Reads the next page. After the first successful page it retries forever. */
  async #readPatiently(): Promise<Page<E>> {
    const plan = new RetryPlan(this.#hasBegun ? Number.POSITIVE_INFINITY : 0, true);
    for (;;) {
      try {
        return await this.#read();
      } catch (error) {
        const refusal = await this.#explain(error);
        await sleep(plan.nextDelayMs(refusal), this.#options.signal);
      }
    }
  }

  async #read(): Promise<Page<E>> {
    const { signal, timeoutMs = defaultTimeoutMs, readAfter, ...asked } = this.#options;
    const wait = asked.wait ?? defaultWaitSeconds;
    const query = { limit: largestPage, ...asked, wait, after: this.#after };
    const options = { timeoutMs: timeoutMs + wait * 1_000, ...(signal && { signal }), ...(readAfter && { readAfter }) };
    return (await this.#send<Page<E>>({ gateway: 'read', method: 'GET', path: '/v1/events', query }, options)).data;
  }

  /** The API takes position 0 for the oldest retained event, but a reader that stored it with its log would miss the expired ones. */
  #checkStart({ oldest_position: oldestPosition }: Page<E>): void {
    if (this.#after === 0 && this.#logId !== undefined && oldestPosition > 1) {
      throw new CrmStartOverError('events_expired', { oldestPosition });
    }
  }

  /** Throws if the page would be read again and again: a proxy or a cache may repeat an old response. */
  #checkAdvance({ events, has_more: hasMore, next_position: next }: Page<E>): void {
    const after = this.#after ?? -1;
    const isWhole = Number.isSafeInteger(next) && next >= after;
    if (isWhole && (next > after || (events.length === 0 && !hasMore))) return;
    const asked = this.#after === undefined ? '' : `, although position ${after} was asked for`;
    throw new CrmError(`The page of events does not advance: its next_position is ${String(next)}${asked}`);
  }

  #checkLog(logId: string): void {
    if (this.#logId !== undefined && logId !== this.#logId) throw new CrmStartOverError('log_changed', { logId });
  }

  /** Returns the error to throw if a refusal means that the reader must start over. */
  async #explain(error: unknown): Promise<unknown> {
    if (!(error instanceof CrmApiError)) return error;
    if (error.status === 410) {
      return new CrmStartOverError('events_expired', { oldestPosition: error.oldestPosition, cause: error });
    }
    if (!('after' in error.errors) || this.#logId === undefined) return error;
    // After a restore from a backup the log may end before the position.
    const { signal } = this.#options;
    const latest = { gateway: 'read', method: 'GET', path: '/v1/events/latest' } as const;
    const { data } = await this.#send<LatestPosition>(latest, signal && { signal });
    return data.log_id === this.#logId
      ? error
      : new CrmStartOverError('log_changed', { logId: data.log_id, cause: error });
  }
}

/** Creates the calls for the change log. */
export const createEvents = <C extends CustomFieldTypes>(send: Send): Events<C> => ({
  list: (query, options) => send({ gateway: 'read', method: 'GET', path: '/v1/events', query: { ...query } }, options),
  latest: (options) => send({ gateway: 'read', method: 'GET', path: '/v1/events/latest' }, options),
  iterate: <E>(options: FollowEvents = {}): EventStream<E> => {
    const pages = () => new LogReader<E>(send, options).pages();
    return {
      pages,
      async *[Symbol.asyncIterator]() {
        for await (const page of pages()) yield* page.events;
      },
    };
  },
  restore: (body, options) => send({ gateway: 'inbound', method: 'POST', path: '/v1/inbound/restore', body }, options),
});
