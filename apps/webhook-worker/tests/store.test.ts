import { randomUUID } from 'node:crypto';
import {
  claimWebhook,
  type DeliveryResult,
  extendClaims,
  findDueWebhooks,
  findWebhook,
  listAttempts,
  requestTest,
  rotateSecret,
  saveDeliveries,
} from '@crm/db';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { storeResult } from '../src/store.js';
import { createTestLog, type TestLog } from './support/test-log.js';

let log: TestLog;
const workerId = randomUUID();

beforeAll(async () => {
  log = await createTestLog();
});
afterAll(() => log.close());

const empty: Omit<DeliveryResult, 'updated_at'> = {
  ...{ position_before: 0, position: 1, replay_position: null, is_test_done: true, failures: 0, is_failing: false },
  ...{ has_failed: false, probe_ms: null, wait_ms: null, pace: null, disabled_because: null, is_released: true },
  ...{ parked: [], delivered: [], attempts: [] },
};
/** A result that says nothing about the receiver. */
const unclaimed: DeliveryResult = { updated_at: new Date(0).toISOString(), ...empty };
const failed = { outcome: 'failed', type: 'webhook.test', events: 1, attempt: 1, error: 'answered 500' } as const;

const store = async (result: Partial<DeliveryResult>) => {
  const { id } = await log.addWebhook('http://127.0.0.1/');
  const webhook = { organizationId: log.organizationId, id, secret: '', previousSecret: null };
  const { updated_at = '' } = (await claimWebhook(log.database, webhook, workerId, 30_000)) ?? {};
  const save = (each: DeliveryResult) => saveDeliveries(log.database, webhook, workerId, each);
  const isStored = await storeResult(save, { updated_at, ...empty, ...result }, () => false);
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
  expect([await storeResult(save, unclaimed, () => false), tries]).toEqual([true, 3]);
  tries = 0;
  await expect(storeResult(save, unclaimed, () => true)).rejects.toThrow('Connection terminated');
});

test('does not store the result of a worker whose endpoint another one has claimed', async () => {
  const { id } = await log.addWebhook('http://127.0.0.1/');
  const webhook = { organizationId: log.organizationId, id, secret: '', previousSecret: null };
  await claimWebhook(log.database, webhook, workerId, -1_000);
  // The claim has ended, and no other worker has claimed the endpoint since.
  expect(await saveDeliveries(log.database, webhook, workerId, { ...unclaimed, is_released: false })).toBe(true);
  await claimWebhook(log.database, webhook, randomUUID(), 30_000);
  expect(await saveDeliveries(log.database, webhook, workerId, unclaimed)).toBe(false);
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
  await saveDeliveries(log.database, webhook, workerId, { ...unclaimed, position: 4, parked });
  expect(await findWebhook(log.database, log.organizationId, id)).toMatchObject({ position: 9, parked_records: 1 });
});

test('a replaced secret signs until its time is over, and no longer', async () => {
  const { id } = await log.addWebhook('http://127.0.0.1/');
  const webhook = { organizationId: log.organizationId, id, secret: '', previousSecret: null };
  const before = await claimWebhook(log.database, webhook, workerId, 30_000);
  expect(before?.previous_secret).toBeNull();
  await rotateSecret(log.database, log.organizationId, id, 'a test', 'new');
  await requestTest(log.database, log.organizationId, id, 'a test');
  /** The old secret as a worker gets it, when it looks for something to do and when it claims the endpoint. */
  const previous = async () => {
    await log.query('UPDATE webhook_endpoints SET claimed_until = NULL, claimed_by = NULL WHERE id = $1', id);
    const due = (await findDueWebhooks(log.database)).find((one) => one.id === id);
    const claimed = await claimWebhook(log.database, webhook, workerId, 30_000);
    return [due?.secret, due?.previousSecret, claimed?.secret, claimed?.previous_secret];
  };
  expect(await previous()).toEqual(['new', before?.secret, 'new', before?.secret]);
  const [left] = await log.query<{ days: number }>(
    `SELECT round(extract(epoch FROM previous_secret_until - now()) / 86400)::int AS days FROM webhook_endpoints WHERE id = $1`,
    id,
  );
  expect(left).toEqual({ days: 1 });
  const move = `UPDATE webhook_endpoints SET previous_secret_until = now() + make_interval(secs => $2) WHERE id = $1`;
  await log.query(move, id, 60);
  expect((await previous())[3]).toBe(before?.secret);
  await log.query(move, id, -1);
  expect(await previous()).toEqual(['new', null, 'new', null]);
});

test('a claim belongs to one worker until it ends or is extended', async () => {
  const { id } = await log.addWebhook('http://127.0.0.1/');
  const webhook = { organizationId: log.organizationId, id, secret: '', previousSecret: null };
  const other = randomUUID();
  const claim = async (worker: string) => (await claimWebhook(log.database, webhook, worker, 30_000)) !== null;
  expect([await claim(workerId), await claim(workerId), await claim(other)]).toEqual([true, true, false]);
  const end = `UPDATE webhook_endpoints SET claimed_until = now() - interval '1 second' WHERE id = $1`;
  await log.query(end, id);
  expect(await extendClaims(log.database, workerId, [id], 30_000)).toEqual([id]);
  expect(await claim(other)).toBe(false);
  await log.query(end, id);
  expect(await claim(other)).toBe(true);
  expect(await extendClaims(log.database, workerId, [id], 30_000)).toEqual([]);
});
