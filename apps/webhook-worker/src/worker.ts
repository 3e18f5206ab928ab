import { setTimeout as sleep } from 'node:timers/promises';
import { findDueWebhooks, isConnectionError } from '@crm/db';
import { OutageLog } from '@crm/http';
import type { SecretKeys } from '@crm/webhooks';
import { Endpoints, type EndpointsOptions } from './endpoints.js';
import { Secrets } from './secrets.js';

/** What the worker needs. */
export interface WorkerOptions extends EndpointsOptions {
  readonly keys: SecretKeys;
  /** Receives how many endpoints with something to send have a secret that no key decrypts. */
  readonly onUnreadable: (count: number) => void;
}

/** How often the worker looks for endpoints with something to send: soon after a delivery, else once per second. */
const pollMs = { busy: 200, idle: 1_000 };
const busyForMs = 5_000;
const extendEveryMs = 4_000;

const outageTexts = {
  level: 'error',
  began: 'the database does not answer: no webhooks are sent until it does. Check it with crm doctor',
  over: 'the database answers again',
} as const;

/** A running worker. */
export interface Worker {
  /** Ends after the attempts in flight. */
  stop(): Promise<void>;
}

/** Sends events to the endpoints of all organizations. Several workers share the endpoints: each claims those that it serves. */
export const startWorker = (options: WorkerOptions): Worker => {
  const { database, keys, logger, onUnreadable } = options;
  const secrets = new Secrets(keys, logger);
  const outage = new OutageLog(logger, isConnectionError, outageTexts);
  const stopping = new AbortController();
  const isStopping = (): boolean => stopping.signal.aborted;
  let busyUntilMs = 0;
  const onSaved: EndpointsOptions['onSaved'] = (result) => {
    if (result.attempts.length > 0) busyUntilMs = performance.now() + busyForMs;
    options.onSaved(result);
  };
  const endpoints = new Endpoints({ ...options, onSaved }, secrets, outage, isStopping);

  const look = async (): Promise<void> => {
    try {
      const due = await findDueWebhooks(database, secrets.unreadable);
      outage.noteSuccess();
      for (const webhook of due) if (secrets.canRead(webhook)) endpoints.start(webhook);
      onUnreadable(secrets.unreadable.length);
    } catch (error) {
      if (!outage.recordIfOutage(error)) logger.warn({ err: error }, 'could not look for endpoints');
    }
  };
  const poll = async (): Promise<void> => {
    while (!isStopping()) {
      if (!endpoints.isFull) await look();
      const waitMs = performance.now() < busyUntilMs ? pollMs.busy : pollMs.idle;
      await sleep(waitMs, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const extending = setInterval(() => {
    endpoints.extend().catch((error: unknown) => outage.recordIfOutage(error));
  }, extendEveryMs);
  const polling = poll();
  return {
    stop: async () => {
      stopping.abort();
      await polling;
      await endpoints.ended();
      clearInterval(extending);
    },
  };
};
