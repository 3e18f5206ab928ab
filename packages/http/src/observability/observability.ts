import type { Gateway } from '@crm/contract';
import type { Logger } from 'pino';
import type { GatewaySettings } from '../gateway-settings.js';
import { GatewayActivity } from './metrics/activity.js';
import { startAdminServer } from './metrics/admin-server.js';
import { Metrics } from './metrics/metrics.js';
import { startTracing } from './tracing/start-tracing.js';

type Stop = () => Promise<void>;

/** Metrics on their own port, and traces, each if configured. */
export class Observability {
  /** For `createGatewayApp`. */
  readonly activity = new GatewayActivity();
  /** Only if `ADMIN_PORT` is set. */
  readonly metrics: Metrics | undefined;
  readonly #gateway: Gateway;
  readonly #settings: GatewaySettings;
  readonly #logger: Logger;
  readonly #stops: Stop[] = [];

  constructor(gateway: Gateway, settings: GatewaySettings, logger: Logger) {
    this.#gateway = gateway;
    this.#settings = settings;
    this.#logger = logger;
    this.metrics = settings.admin === undefined ? undefined : new Metrics(gateway, this.activity);
  }

  /** Begins to serve metrics and to send traces. @throws Error that names the port, if it is taken or not allowed. */
  async start(): Promise<void> {
    const { admin, tracing } = this.#settings;
    const logger = this.#logger;
    if (tracing !== undefined) {
      this.#stops.push(await startTracing(tracing, `crm-${this.#gateway}-gateway`, logger));
    }
    if (admin !== undefined && this.metrics !== undefined) {
      this.#stops.push(await startAdminServer({ ...admin, metrics: this.metrics, logger }));
      logger.info(admin, 'metrics are served');
    }
  }

  /** Sends the remaining traces and closes the port. */
  async stop(): Promise<void> {
    await Promise.all(this.#stops.map((stop) => stop()));
  }
}
