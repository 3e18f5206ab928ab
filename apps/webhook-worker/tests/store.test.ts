import { randomUUID } from 'node:crypto';
import { claimWebhook, type DeliveryResult, findWebhook, listAttempts, saveDeliveries } from '@crm/db';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { storeResult } from '../src/store.js';
import { createTestLog, type TestLog } from './support/test-log.js';

let log: TestLog;
const workerId = randomUUID();

beforeAll(async () => {
  log = await createTestLog();
});
afterAll(() => log.close());

const empty: DeliveryResult = {
  ...{ position_before: 0, position: 1, replay_position: null, is_test_done: true, failures: 0, is_failing: false },
  ...{ has_failed: false, probe_ms: null, wait_ms: null, pace: null, disabled_because: null, is_released: true },
  ...{ parked: [], delivered: [], attempts: [] },
};
const failed = { outcome: 'failed', type: 'webhook.test', events: 1, attempt: 1, error: 'answered 500' } as const;

const store = async (result: Partial<DeliveryResult>) => {
  const { id } = await log.addWebhook('http://127.0.0.1/');
  const webhook = { organizationId: log.organizationId, id, secret: '', previousSecret: null };
  await claimWebhook(log.database, webhook, workerId, 30_000);
  const save = (each: DeliveryResult) => saveDeliveries(log.database, webhook, workerId, each);
  const isStored = await storeResult(save, { ...empty, ...result }, () => false);
  const attempts = await listAttempts(log.database, log.organizationId, id, { before: null, limit: 10 });
  return { isStored, attempts, webhook: await findWebhook(log.database, log.organizationId, id) };
};

test('stores a result without its texts if the database refuses one', async () => {
  const record = { object: 'account', record_id: randomUUID(), position: 1, attempts: 1, deferrals: 0 };
  const stored = await store({
    attempts: [{ ...failed, response: 'a\0b' }],
    parked: [{ ...record, was: null, delay_ms: 1, error: 'a\0b', has_failed: true }],
  });
  expect(stored).toMatchObject({
    isStored: true,
    attempts: [{ error: 'the error and the answer could not be stored', response: null }],
    webhook: { state: 'active', position: 1, parked_records: 1 },
  });
});

test('disables only the endpoint whose result cannot be stored at all, with the reason', async () => {
  expect(await store({ attempts: [{ ...failed, status: 2 ** 40 }] })).toMatchObject({
    isStored: true,
    attempts: [],
    webhook: { state: 'disabled', state_reason: 'its deliveries could not be stored: SQLSTATE 22003', position: 0 },
  });
});

test('tries again after an outage, and gives up when the process stops', async () => {
  let tries = 0;
  const save = (): Promise<boolean> => {
    tries += 1;
    return tries < 3 ? Promise.reject(new Error('Connection terminated')) : Promise.resolve(true);
  };
  expect([await storeResult(save, empty, () => false), tries]).toEqual([true, 3]);
  tries = 0;
  await expect(storeResult(save, empty, () => true)).rejects.toThrow('Connection terminated');
});

test('does not store the result of a worker whose endpoint another one has claimed', async () => {
  const { id } = await log.addWebhook('http://127.0.0.1/');
  const webhook = { organizationId: log.organizationId, id, secret: '', previousSecret: null };
  await claimWebhook(log.database, webhook, workerId, -1_000);
  // The claim has ended, and no other worker has claimed the endpoint since.
  expect(await saveDeliveries(log.database, webhook, workerId, { ...empty, is_released: false })).toBe(true);
  await claimWebhook(log.database, webhook, randomUUID(), 30_000);
  expect(await saveDeliveries(log.database, webhook, workerId, empty)).toBe(false);
});

test('neither moves a position back nor parks an event that a caller skipped meanwhile', async () => {
  const { id } = await log.addWebhook('http://127.0.0.1/');
  const webhook = { organizationId: log.organizationId, id, secret: '', previousSecret: null };
  await claimWebhook(log.database, webhook, workerId, 30_000);
  await log.query('UPDATE webhook_endpoints SET position = 9 WHERE id = $1', id);
  const parked = [3, 12].map((position) => ({
    ...{ object: 'account', record_id: randomUUID(), position, attempts: 1, deferrals: 0 },
    ...{ was: null, delay_ms: 1, error: null, has_failed: true },
  }));
  await saveDeliveries(log.database, webhook, workerId, { ...empty, position: 4, parked });
  expect(await findWebhook(log.database, log.organizationId, id)).toMatchObject({ position: 9, parked_records: 1 });
});
