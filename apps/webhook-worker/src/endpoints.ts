import { randomUUID } from 'node:crypto';
import {
  claimWebhook,
  type Database,
  type DeliveryResult,
  type DueWebhook,
  extendClaims,
  readDeliveries,
  saveDeliveries,
} from '@crm/db';
import { type OutageLog, SharedLimit } from '@crm/http';
import type { Message, Sender } from '@crm/webhooks';
import type { Logger } from 'pino';
import { claimMsFor, Lease } from './lease.js';
import { Round } from './round.js';
import type { Secrets } from './secrets.js';
import { storeResult } from './store.js';
import { traceSend } from './trace-send.js';

/** What serving an endpoint needs. */
export interface EndpointsOptions {
  readonly database: Database;
  readonly sender: Sender;
  /** The times between the tries of an event, in milliseconds. */
  readonly retryDelaysMs: readonly number[];
  /** How long a receiver may be without any success before its endpoint is disabled. */
  readonly disableAfterMs: number;
  readonly attemptTimeoutMs: number;
  readonly logger: Logger;
  /** Receives each result that was stored. */
  readonly onSaved: (result: DeliveryResult) => void;
}

/** How long an attempt waits for the share of its organization in the running requests. */
const shareWaitMs = 5_000;

/**
 * The endpoints that are served and the requests that run at the same time, in all and of one organization. An endpoint may have 16 requests
 * in flight. So slow receivers of one organization leave room for those of others.
 */
const limits = {
  endpoints: { total: 160, share: 32 },
  requests: { total: 512, share: 128 },
};

/** The endpoints that this process serves now. It claims them, and runs a round of deliveries for each. */
export class Endpoints {
  readonly #options: EndpointsOptions;
  readonly #secrets: Secrets;
  readonly #outage: OutageLog;
  readonly #isStopping: () => boolean;
  readonly #workerId = randomUUID();
  readonly #claimMs: number;
  readonly #served = new SharedLimit(limits.endpoints);
  readonly #requests = new SharedLimit(limits.requests);
  readonly #running = new Map<string, { readonly lease: Lease; readonly ended: Promise<void> }>();

  constructor(options: EndpointsOptions, secrets: Secrets, outage: OutageLog, isStopping: () => boolean) {
    this.#options = options;
    this.#secrets = secrets;
    this.#outage = outage;
    this.#isStopping = isStopping;
    this.#claimMs = claimMsFor(options.attemptTimeoutMs);
  }

  /** Whether no further endpoint can be served now. */
  get isFull(): boolean {
    return this.#served.isExhausted;
  }

  /** Serves an endpoint, unless its organization has no share left. */
  start(due: DueWebhook): void {
    if (this.#running.has(due.id) || !this.#served.hasRoom(due.organizationId)) return;
    const lease = new Lease(performance.now());
    const giveBack = this.#served.take(due.organizationId);
    this.#running.set(due.id, { lease, ended: this.#serve(due, lease, giveBack) });
  }

  /** Extends the claims. Without it, the rounds start nothing after a while. */
  async extend(): Promise<void> {
    if (this.#running.size === 0) return;
    const askedAtMs = performance.now();
    const served = [...this.#running];
    const ids = served.map(([id]) => id);
    const kept = new Set(await extendClaims(this.#options.database, this.#workerId, ids, this.#claimMs));
    for (const [id, { lease }] of served) if (kept.has(id)) lease.extend(askedAtMs);
  }

  /** Waits for the end of all rounds. */
  async ended(): Promise<void> {
    await Promise.all([...this.#running.values()].map(({ ended }) => ended));
  }

  async #serve(due: DueWebhook, lease: Lease, giveBack: () => void): Promise<void> {
    const { logger } = this.#options;
    try {
      await this.#runRound(due, lease);
    } catch (error) {
      // Another round sends the events again after the claim has ended.
      if (!this.#outage.recordIfOutage(error))
        logger.warn({ err: error, webhook_id: due.id }, 'could not send webhooks');
    } finally {
      giveBack();
      this.#running.delete(due.id);
    }
  }

  async #runRound(due: DueWebhook, lease: Lease): Promise<void> {
    const { database, sender, retryDelaysMs, disableAfterMs } = this.#options;
    const webhook = await claimWebhook(database, due, this.#workerId, this.#claimMs);
    const signing = webhook && this.#secrets.of(webhook.id, webhook.secret, webhook.previous_secret);
    if (webhook === null || signing === null) return;
    const post = (message: Message) => sender.send(webhook.url, signing, message);
    const round = new Round(webhook, {
      read: (request) => readDeliveries(database, request),
      send: traceSend(post, webhook),
      save: (result) => this.#save(due, result),
      takeShare: () => this.#requests.takeWithin(due.organizationId, shareWaitMs),
      mayStart: () => !this.#isStopping() && lease.mayStart(performance.now()),
      retryDelaysMs,
      disableAfterMs,
    });
    await round.run();
  }

  async #save(due: DueWebhook, result: DeliveryResult): Promise<boolean> {
    const { database, logger, onSaved } = this.#options;
    const save = async (each: DeliveryResult): Promise<boolean> => {
      const isSaved = await saveDeliveries(database, due, this.#workerId, each);
      const { disabled_because: reason } = each;
      if (isSaved && reason !== null) logger.warn({ webhook_id: due.id, reason }, 'disabled an endpoint');
      if (isSaved) onSaved(each);
      return isSaved;
    };
    return storeResult(save, result, this.#isStopping);
  }
}
