import type { Database, DeliveryResult, WebhookState } from '@crm/db';
import { findDueWebhooks, readWebhookStates } from '@crm/db';
import { collectProcessMetrics } from '@crm/http';
import { Counter, Gauge, Registry } from 'prom-client';

/** The metrics of one worker process, in the Prometheus format. The state of the endpoints is read at each scrape. */
export class WorkerMetrics {
  readonly #registry = new Registry();
  readonly #database: Database;
  readonly #attempts: Counter<'outcome'>;
  readonly #due: Gauge;
  readonly #unreadable: Gauge;
  readonly #figures: readonly (readonly [Gauge<'webhook_id'>, (state: WebhookState) => number])[];

  constructor(database: Database) {
    this.#database = database;
    this.#registry.setDefaultLabels({ gateway: 'webhook-worker' });
    collectProcessMetrics(this.#registry);
    this.#attempts = new Counter({
      ...this.#named(
        'crm_webhook_events_total',
        'Events by the outcome of their attempt; deferred: the receiver asked to wait; expired: deleted by retention before.',
      ),
      labelNames: ['outcome'],
    });
    this.#due = new Gauge(this.#named('crm_webhooks_due', 'Endpoints with something to send that no worker serves.'));
    this.#unreadable = new Gauge(
      this.#named(
        'crm_webhook_secrets_unreadable',
        'Endpoints with something to send whose secret no key of WEBHOOK_SECRET_KEY of this worker decrypts.',
      ),
    );
    this.#figures = [
      [
        this.#gauge(
          'crm_webhook_oldest_undelivered_seconds',
          'Age of the oldest event that was not delivered; 0 unless the endpoint is active.',
        ),
        ({ state, oldest_seconds: seconds }) => (state === 'active' ? seconds : 0),
      ],
      [this.#gauge('crm_webhook_parked_records', 'Records whose events wait for a retry.'), (state) => state.parked],
      [
        this.#gauge('crm_webhook_failing', '1 while all deliveries of an active endpoint fail.'),
        ({ state, is_failing: isFailing }) => (state === 'active' && isFailing ? 1 : 0),
      ],
      [
        this.#gauge('crm_webhook_disabled', '1 for an endpoint that a worker disabled.'),
        (state) => (state.state === 'disabled' ? 1 : 0),
      ],
    ];
  }

  /** Counts what a round did. */
  count({ attempts }: Pick<DeliveryResult, 'attempts'>): void {
    for (const { outcome, events } of attempts) this.#attempts.inc({ outcome }, events);
  }

  /** Stores how many endpoints have a secret that this worker cannot decrypt. */
  setUnreadable(count: number): void {
    this.#unreadable.set(count);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  /** Reads the state of the endpoints, and returns all metrics as text. While the database is away, those of the process only. */
  async render(): Promise<string> {
    await this.#readState().catch(() => {
      this.#due.remove();
      for (const [gauge] of this.#figures) gauge.reset();
    });
    return this.#registry.metrics();
  }

  async #readState(): Promise<void> {
    const [due, states] = await Promise.all([findDueWebhooks(this.#database), readWebhookStates(this.#database)]);
    this.#due.set(due.length);
    for (const [gauge, read] of this.#figures) {
      gauge.reset();
      for (const state of states) gauge.set({ webhook_id: state.id }, read(state));
    }
  }

  #gauge(name: string, help: string): Gauge<'webhook_id'> {
    return new Gauge({ ...this.#named(name, help), labelNames: ['webhook_id'] });
  }

  #named(name: string, help: string) {
    return { name, help, registers: [this.#registry] };
  }
}
