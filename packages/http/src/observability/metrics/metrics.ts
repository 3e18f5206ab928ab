import { apiVersion, type Gateway } from '@crm/contract';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import type { CacheCounts, GatewayActivity } from './activity.js';
import { collectProcessMetrics } from './process-metrics.js';

/** A pool of connections as it is now. */
export interface PoolState {
  readonly totalCount: number;
  readonly idleCount: number;
  /** Statements that wait for a connection. */
  readonly waitingCount: number;
  readonly max: number;
}

const requestBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const waitBuckets = [0.0001, 0.001, 0.005, 0.025, 0.1, 0.5, 1, 2];
const msPerSecond = 1000;

/**
 * The metrics of one gateway process, in the Prometheus format. Everything except durations is read from the gateway's
 * plain numbers when Prometheus scrapes, so that a request costs one observation.
 */
export class Metrics {
  readonly #registry = new Registry();
  readonly #pools = new Map<string, PoolState>();
  readonly #caches = new Map<string, CacheCounts>();
  readonly #wait: Histogram<'pool'>;

  constructor(gateway: Gateway, activity: GatewayActivity) {
    this.#registry.setDefaultLabels({ gateway });
    collectProcessMetrics(this.#registry);
    const info = { ...this.#named('crm_build_info', 'Always 1; the label is the version.'), labelNames: ['version'] };
    new Gauge(info).set({ version: apiVersion }, 1);
    this.#observeRequests(activity);
    this.#readActivity(activity);
    this.#readPools();
    this.#wait = new Histogram({
      ...this.#named('crm_database_pool_wait_seconds', 'Time until a statement had a connection.'),
      labelNames: ['pool'],
      buckets: waitBuckets,
    });
    this.watchCache('api_keys', activity.apiKeys);
  }

  /** Adds the metrics of a pool. */
  watchPool(name: string, pool: PoolState): void {
    this.#pools.set(name, pool);
  }

  /** Adds the metrics of a cache. */
  watchCache(name: string, counts: CacheCounts): void {
    this.#caches.set(name, counts);
  }

  /** Adds the bytes of events of some organizations. If they cannot be read, the metric keeps its values. */
  watchChangeLogs(list: () => Promise<readonly { readonly organizationId: string; readonly bytes: number }[]>): void {
    new Counter({
      ...this.#named(
        'crm_event_bytes_total',
        'Bytes of events that organizations have written; only the largest ones.',
      ),
      labelNames: ['organization'],
      async collect() {
        const sizes = await list().catch(() => null);
        if (sizes === null) return;
        this.reset();
        for (const { organizationId, bytes } of sizes) this.inc({ organization: organizationId }, bytes);
      },
    });
  }

  /** Adds the ages of the last successes of upkeep tasks. */
  watchUpkeep(tasks: readonly { readonly name: string; readonly ageSeconds: number }[]): void {
    this.#collect(
      Gauge,
      'crm_upkeep_age_seconds',
      'Time since an upkeep task succeeded in this process, or since the process started.',
      ['task'],
      () => tasks.map(({ name, ageSeconds }) => [{ task: name }, ageSeconds]),
    );
  }

  /** Records how long a statement waited for a connection, in milliseconds. */
  waitsOf(pool: string): (waitMs: number) => void {
    const child = this.#wait.labels(pool);
    return (waitMs) => child.observe(waitMs / msPerSecond);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** All metrics as text. */
  render(): Promise<string> {
    return this.#registry.metrics();
  }

  #named(name: string, help: string) {
    return { name, help, registers: [this.#registry] };
  }

  #observeRequests(activity: GatewayActivity): void {
    const durations = new Histogram({
      ...this.#named(
        'crm_request_duration_seconds',
        'Requests by operation and status: how many, and how long they took.',
      ),
      labelNames: ['operation', 'status'],
      buckets: requestBuckets,
    });
    // Cached, because finding a child by its labels is most of the cost of an observation, and there are few.
    const children = new Map<string, Histogram.Internal<'operation' | 'status'>>();
    activity.onRequest = (operation, status, durationMs) => {
      const id = `${operation} ${status}`;
      let child = children.get(id);
      if (child === undefined) children.set(id, (child = durations.labels(operation, String(status))));
      child.observe(durationMs / msPerSecond);
    };
  }

  #readActivity(activity: GatewayActivity): void {
    this.#gauge('crm_requests_in_flight', 'Requests in progress.', () => activity.inFlight());
    this.#gauge('crm_requests_waiting', 'Requests that wait for events; they do not count as running.', () =>
      activity.waiting(),
    );
    this.#gauge(
      'crm_answer_bytes_in_flight',
      'Bytes of responses that callers have not read yet, and of pages that are being read from the database.',
      () => activity.answerBytes(),
    );
    this.#gauge(
      'crm_event_loop_delay_seconds',
      'Mean delay of the event loop over the last half second. Above a limit, requests are refused.',
      () => activity.eventLoopDelayMs() / msPerSecond,
    );
    this.#collect(Counter, 'crm_requests_shed_total', 'Requests refused because of overload.', [], () => [
      [{}, activity.shed],
    ]);
    this.#collect(
      Counter,
      'crm_failed_authentications_total',
      'Requests without a valid key, answered 401 or, past the limit of their address, 429.',
      [],
      () => [[{}, activity.failedAuthentications]],
    );
    this.#collect(Counter, 'crm_requests_rate_limited_total', 'Requests refused by a rate limit.', ['limiter'], () =>
      [...activity.rateLimited].map(([limiter, count]) => [{ limiter }, count]),
    );
    this.#collect(Counter, 'crm_cache_lookups_total', 'Lookups in caches of this process.', ['cache', 'result'], () =>
      [...this.#caches].flatMap(([cache, { hits, misses }]) => [
        [{ cache, result: 'hit' }, hits],
        [{ cache, result: 'miss' }, misses],
      ]),
    );
  }

  #readPools(): void {
    const figures: readonly [string, string, (pool: PoolState) => number][] = [
      ['connections', 'Open connections.', (pool) => pool.totalCount],
      ['idle_connections', 'Open connections without a statement.', (pool) => pool.idleCount],
      ['max_connections', 'Connections that may be open.', (pool) => pool.max],
      ['waiting', 'Statements that wait for a connection.', (pool) => pool.waitingCount],
    ];
    for (const [name, help, read] of figures) {
      this.#collect(Gauge, `crm_database_pool_${name}`, help, ['pool'], () =>
        [...this.#pools].map(([pool, state]) => [{ pool }, read(state)]),
      );
    }
  }

  #gauge(name: string, help: string, read: () => number): void {
    this.#collect(Gauge, name, help, [], () => [[{}, read()]]);
  }

  /** Adds a metric whose values are read at each scrape. */
  #collect<Label extends string>(
    Metric: typeof Gauge | typeof Counter,
    name: string,
    help: string,
    labelNames: readonly Label[],
    read: () => readonly (readonly [Partial<Record<Label, string>>, number])[],
  ): void {
    new Metric({
      ...this.#named(name, help),
      labelNames: [...labelNames],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.inc(labels, value);
      },
    });
  }
}
