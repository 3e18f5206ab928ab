import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  claimWebhook,
  type Database,
  type DeliveryResult,
  type DueWebhook,
  extendClaims,
  findDueWebhooks,
  readDeliveries,
  saveDeliveries,
} from '@crm/db';
import { type Attempt, decryptSecret, type Message, type SecretKeys, type Sender } from '@crm/webhooks';
import { context, propagation, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import { Round, type RoundParts } from './round.js';

/** What the worker needs. */
export interface WorkerOptions {
  readonly database: Database;
  readonly sender: Sender;
  readonly keys: SecretKeys;
  /** The times between the tries of an event, in milliseconds. */
  readonly retryDelaysMs: readonly number[];
  readonly logger: Logger;
  /** Receives what was stored after each round. */
  readonly onRound: (result: Omit<DeliveryResult, 'is_released'>) => void;
}

/** How often the worker looks for endpoints with something to send: soon after a delivery, else once per second. */
const pollMs = { busy: 200, idle: 1_000 };
const busyForMs = 5_000;
const extendEveryMs = 10_000;
/** Endpoints that are served at the same time. Each may have 16 requests in flight. */
const maxRunning = 50;

const unreadable = 'its secret cannot be decrypted: WEBHOOK_SECRET_KEY has changed, so rotate the secret';

const tracer = trace.getTracer('@crm/webhook-worker');

/** Wraps a send in a span that continues the trace of the write. */
const traceSend =
  (send: (message: Message) => Promise<Attempt>, webhookId: string): RoundParts['send'] =>
  async (message, traceparent) => {
    const parent = propagation.extract(ROOT_CONTEXT, traceparent === null ? {} : { traceparent });
    const attributes = { 'crm.webhook_id': webhookId, 'messaging.message.id': message.id };
    const span = tracer.startSpan('deliver webhook', { kind: SpanKind.CLIENT, attributes }, parent);
    const attempt = await context.with(trace.setSpan(parent, span), () => send(message));
    if (attempt.status !== null) span.setAttribute('http.response.status_code', attempt.status);
    if (!attempt.isDelivered) span.setStatus({ code: SpanStatusCode.ERROR, message: attempt.error ?? '' });
    span.end();
    return attempt;
  };

/** A running worker. */
export interface Worker {
  /** Ends after the attempts in flight. */
  stop(): Promise<void>;
}

/** Sends events to the endpoints of all organizations. Several workers share the endpoints: each claims those that it serves. */
export const startWorker = (options: WorkerOptions): Worker => {
  const { database, sender, keys, retryDelaysMs, logger, onRound } = options;
  const workerId = randomUUID();
  const running = new Map<string, Promise<void>>();
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let busyUntilMs = 0;

  /** One round. @returns whether there is more to send now */
  const runRound = async (due: DueWebhook): Promise<boolean> => {
    const webhook = await claimWebhook(database, due, workerId);
    if (webhook === null) return false;
    const stored = [webhook.secret, ...(webhook.previous_secret === null ? [] : [webhook.previous_secret])];
    const secrets = stored.map((secret) => decryptSecret(keys, webhook.id, secret)).filter((secret) => secret !== null);
    const post = (message: Message) => sender.send(webhook.url, secrets, message);
    const round = new Round(webhook, {
      read: (request) => readDeliveries(database, request),
      send: traceSend(post, webhook.id),
      retryDelaysMs,
      isStopping,
    });
    const { result, hasMore } = secrets.length === 0 ? round.disable(unreadable) : await round.run();
    const isReleased = !hasMore || isStopping();
    const isStored = await saveDeliveries(database, due, workerId, { ...result, is_released: isReleased });
    const { disabled_because: disabledBecause } = result;
    if (disabledBecause !== null)
      logger.warn({ webhook_id: webhook.id, reason: disabledBecause }, 'disabled an endpoint');
    onRound(result);
    if (result.attempts.length > 0) busyUntilMs = performance.now() + busyForMs;
    return isStored && !isReleased;
  };
  const serve = async (due: DueWebhook): Promise<void> => {
    try {
      while (await runRound(due));
    } catch (error) {
      // Another round sends the events again after the claim has ended.
      logger.warn({ err: error, webhook_id: due.id }, 'could not store deliveries');
    } finally {
      running.delete(due.id);
    }
  };
  const poll = async (): Promise<void> => {
    while (!isStopping()) {
      try {
        const due = running.size < maxRunning ? await findDueWebhooks(database) : [];
        for (const webhook of due.filter(({ id }) => !running.has(id)).slice(0, maxRunning - running.size))
          running.set(webhook.id, serve(webhook));
      } catch (error) {
        logger.debug({ err: error }, 'could not look for endpoints');
      }
      const waitMs = performance.now() < busyUntilMs ? pollMs.busy : pollMs.idle;
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const extending = setInterval(() => {
    if (running.size > 0) extendClaims(database, workerId).catch(() => undefined);
  }, extendEveryMs);
  const polling = poll();
  return {
    stop: async () => {
      stopping.abort();
      await polling;
      await Promise.all(running.values());
      clearInterval(extending);
    },
  };
};
