import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach } from '@jest/globals';
import { findWebhook, listAttempts } from '@crm/db';
import { until } from '@crm/testing';
import { Sender } from '@crm/webhooks';
import { pino } from 'pino';
import { startWorker, type Worker, type WorkerOptions } from '../../src/worker.js';
import { type Receiver, startReceiver } from './receiver.js';
import { createTestLog, type TestLog } from './test-log.js';

export const retryDelaysMs = [50, 50, 50];
export const maxTries = retryDelaysMs.length + 1;

/** Random ids of records. */
export const records = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

/** A database with a log, and for each test a receiver, its webhook, and workers that end with the test. */
export const useWorker = () => {
  let log: TestLog;
  let receiver: Receiver;
  let sender: Sender;
  let webhookId: string;
  let workers: Worker[] = [];

  beforeAll(async () => {
    log = await createTestLog();
  });
  beforeEach(async () => {
    receiver = await startReceiver([]);
    sender = new Sender(['127.0.0.0/8'], 5_000);
    const created = await log.addWebhook(receiver.url);
    webhookId = created.id;
    receiver.secrets = [created.secret];
  });
  const stop = async (): Promise<void> => {
    await Promise.all(workers.splice(0).map((worker) => worker.stop()));
  };
  afterEach(async () => {
    await stop();
    sender.close();
    await receiver.close();
    await log.query('DELETE FROM webhook_endpoints');
  });
  afterAll(() => log.close());

  return {
    log: () => log,
    receiver: () => receiver,
    webhookId: () => webhookId,
    start: (options: Partial<WorkerOptions> = {}): Worker => {
      const worker = startWorker({
        ...{ database: log.database, sender, keys: log.keys, retryDelaysMs },
        ...{ disableAfterMs: 3_600_000, attemptTimeoutMs: 5_000, logger: pino({ level: 'silent' }) },
        onSaved: () => undefined,
        onUnreadable: () => undefined,
        ...options,
      });
      workers = [...workers, worker];
      return worker;
    },
    stop,
    until: (isDone: () => boolean | Promise<boolean>): Promise<void> => {
      const holds = (): boolean | Promise<boolean> => {
        if (receiver.forged > 0) throw new Error('a message was not signed with the secret');
        return isDone();
      };
      // A failure names the condition.
      holds.toString = () => isDone.toString();
      return until(holds);
    },
    webhook: async () => {
      const row = await findWebhook(log.database, log.organizationId, webhookId);
      if (row === null) throw new Error('no webhook');
      return row;
    },
    attempts: () => listAttempts(log.database, log.organizationId, webhookId, { before: null, limit: 100 }),
    positions: (): number[] => receiver.accepted.map(({ data }) => data.position),
  };
};
