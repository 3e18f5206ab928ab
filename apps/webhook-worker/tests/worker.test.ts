import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import * as db from '@crm/db';
import { encryptSecret, newSecret, Sender } from '@crm/webhooks';
import { pino } from 'pino';
import { startWorker, type Worker, type WorkerOptions } from '../src/worker.js';
import { type Receiver, startReceiver } from './support/receiver.js';
import { createTestLog, type TestLog } from './support/test-log.js';

let log: TestLog;
let receiver: Receiver;
let worker: Worker | undefined;
let sender: Sender;
let webhookId: string;
const retryDelaysMs = [50, 50, 50];
const maxTries = retryDelaysMs.length + 1;

const startAnother = (options: Partial<WorkerOptions> = {}): Worker =>
  startWorker({
    database: log.database,
    sender,
    keys: log.keys,
    retryDelaysMs,
    logger: pino({ level: 'silent' }),
    onRound: () => undefined,
    ...options,
  });
const start = (options: Partial<WorkerOptions> = {}): void => {
  worker = startAnother(options);
};
const until = async (isDone: () => boolean | Promise<boolean>): Promise<void> => {
  for (let tries = 0; tries < 1_000; tries += 1) {
    if (await isDone()) return;
    if (receiver.forged > 0) throw new Error('a message was not signed with the secret');
    await sleep(10);
  }
  throw new Error('it did not happen in time');
};
const target = () => [log.database, log.organizationId, webhookId] as const;
const webhook = async () => {
  const row = await db.findWebhook(...target());
  if (row === null) throw new Error('no webhook');
  return row;
};
const update = (change: db.WebhookChange) => db.updateWebhook(...target(), 'a test', change);
const replay = (range: db.ReplayRange) => db.requestReplay(...target(), 'a test', range);
const attempts = () => db.listAttempts(...target(), { before: null, limit: 100 });
const positions = (): number[] => receiver.accepted.map(({ data }) => data.position);
const records = (count: number): string[] => Array.from({ length: count }, () => randomUUID());

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
afterEach(async () => {
  await worker?.stop();
  sender.close();
  await receiver.close();
  await log.query('DELETE FROM webhook_endpoints');
});
afterAll(() => log.close());

test('delivers each event once, signed, in the order of each record', async () => {
  const [a = '', b = ''] = records(2);
  const { last_position: before } = await webhook();
  receiver.behave = ({ data }, response) => {
    if (data.position !== before + 1) return false;
    // Without the wait for this answer, the next event of the record would overtake.
    setTimeout(() => response.end(), 50);
    return true;
  };
  await log.append([a, b, a, a, b]);
  start();
  await until(() => receiver.accepted.length === 5);
  const ofA = receiver.accepted.filter(({ data }) => data.record_id === a).map(({ data }) => data.position);
  expect(ofA).toEqual([...ofA].sort((x, y) => x - y));
  await until(async () => (await webhook()).position === (await webhook()).last_position);
  expect(receiver).toMatchObject({ forged: 0, requests: 5 });
  expect(await attempts()).toMatchObject([{ outcome: 'delivered', events: 5 }]);
});

test('parks the later events of a record whose event failed, and delivers those of others', async () => {
  const [bad = '', good = ''] = records(2);
  let failures = 2;
  receiver.behave = ({ data }, response) => {
    if (data.record_id === bad && (failures -= 1) >= 0) response.writeHead(500).end('no');
  };
  await log.append([bad, good, bad, good]);
  const { last_position: last } = await webhook();
  start();
  await until(() => receiver.accepted.length === 4);
  expect(positions()).toEqual([last - 2, last, last - 3, last - 1]);
  await until(async () => (await webhook()).parked_records === 0);
  expect((await attempts()).map(({ outcome, status, response }) => [outcome, status, response])).toContainEqual([
    'failed',
    500,
    'no',
  ]);
});

test('sends few requests while a receiver is down, and everything once it is back', async () => {
  let isDown = true;
  receiver.behave = (_message, response) => {
    if (isDown) response.writeHead(503).end();
  };
  await log.append(records(60));
  const { last_position: last, position: before } = await webhook();
  start();
  await until(async () => (await webhook()).is_failing);
  expect(receiver.requests).toBeLessThan(25);
  isDown = false;
  await until(() => new Set(positions()).size === last - before);
  await until(async () => (await webhook()).parked_records === 0);
  expect(await webhook()).toMatchObject({ is_failing: false, state: 'active', position: last });
});

test('keeps an event visible after its last try, until a replay delivers it', async () => {
  let isBroken = true;
  const [bad = '', good = ''] = records(2);
  receiver.behave = ({ data }, response) => {
    if (isBroken && data.record_id === bad) response.writeHead(422).end();
  };
  await log.append([bad, good]);
  start();
  await until(async () => (await attempts()).some(({ attempt }) => attempt === maxTries));
  await until(async () => (await webhook()).next_retry_at === null);
  expect(await webhook()).toMatchObject({ parked_records: 1, state: 'active' });
  isBroken = false;
  const { position } = await webhook();
  await replay({ from: position - 1, to: position });
  await until(async () => (await webhook()).parked_records === 0 && (await webhook()).replay === null);
  expect([...positions()].sort()).toEqual([position - 1, position, position]);
  const delivered = (await attempts()).filter(({ outcome }) => outcome === 'delivered');
  expect(delivered.map(({ first_position: first }) => first)).toContain(position - 1);
});

test('disables an endpoint with little traffic if nothing succeeds until the last try', async () => {
  receiver.behave = (_message, response) => response.writeHead(500).end();
  await log.append(records(1));
  start({ retryDelaysMs: [10, 10, 10, 10] });
  await until(async () => (await webhook()).state === 'disabled');
  expect([receiver.requests, (await webhook()).state_reason]).toEqual([5, 'no delivery succeeded until the last try']);
});

test('tries an endpoint that is down again, even if the schedule was shortened meanwhile', async () => {
  await log.append(records(1));
  const { position, last_position: last } = await webhook();
  await log.query(
    `WITH parked AS (
       INSERT INTO webhook_parked (organization_id, endpoint_id, object, record_id, position, attempts, retry_at)
       SELECT e.organization_id, $1::uuid, e.object, e.record_id, e.position, 9, now() FROM events e WHERE e.position = $2)
     UPDATE webhook_endpoints SET position = $2, failures = 9, is_failing = true, parked = 1, retry_at = now()`,
    webhookId,
    last,
  );
  start();
  await until(async () => (await webhook()).parked_records === 0);
  expect([positions(), position + 1, (await webhook()).is_failing]).toEqual([[last], last, false]);
});

test('replays events before the one that failed, and none that the endpoint has not reached', async () => {
  const [record = ''] = records(1);
  await log.append([record, record]);
  const { position, last_position: last } = await webhook();
  receiver.behave = ({ data }, response) => {
    if (data.position === last) response.writeHead(500).end();
  };
  start();
  await until(async () => (await webhook()).parked_records === 1);
  await replay({ from: last - 1, to: last - 1 });
  await until(() => positions().length === 2);
  expect(positions()).toEqual([last - 1, last - 1]);
  await worker?.stop();
  await update({ state: 'paused' });
  await log.query('UPDATE webhook_endpoints SET position = $1', position);
  expect((await replay({ from: last, to: last }))?.webhook.replay).toBeNull();
});

test('leaves parked events as they are if a replay is refused', async () => {
  await log.append(records(1));
  const { last_position: last } = await webhook();
  receiver.behave = (_message, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
  start();
  await until(async () => (await webhook()).parked_records === 1);
  await worker?.stop();
  await log.query('UPDATE webhook_endpoints SET replay_position = 0, replay_until = 1');
  await expect(replay({ from: last, to: last })).rejects.toMatchObject({ reason: { kind: 'conflict' } });
  expect(await log.query('SELECT attempts FROM webhook_parked')).toEqual([{ attempts: 1 }]);
});

test('disables an endpoint that answers 410, and continues where it stopped', async () => {
  let isGone = true;
  receiver.behave = (_message, response) => {
    if (isGone) response.writeHead(410).end();
  };
  await log.append(records(3));
  const { position: before, last_position: last } = await webhook();
  start();
  await until(async () => (await webhook()).state === 'disabled');
  expect((await webhook()).state_reason).toBe('the receiver answered 410 Gone');
  isGone = false;
  await update({ state: 'active' });
  await until(() => new Set(positions()).size === last - before);
  expect((await webhook()).state_reason).toBeNull();
});

test('sends only what the filters let through, and thin payloads without values', async () => {
  const isDone = async () => (await webhook()).position === (await webhook()).last_position;
  start();
  for (const change of [{ types: ['account.created' as const] }, { types: [], changed: ['domain'] }]) {
    await update(change);
    await log.append(records(3));
    await until(isDone);
  }
  await update({ changed: ['domain', 'name'], payload: 'thin' });
  await log.append(records(1));
  await until(() => receiver.accepted.length > 0);
  expect(receiver.accepted).toMatchObject([{ type: 'account.updated', data: { changed: ['name'] } }]);
  expect(receiver.accepted[0]?.data).not.toHaveProperty('record');
});

test('sends a test message, also to a paused endpoint', async () => {
  await update({ state: 'paused' });
  await log.append(records(1));
  await db.requestTest(...target(), 'a test');
  start();
  await until(async () => (await attempts()).length > 0);
  expect(receiver.accepted).toMatchObject([{ type: 'webhook.test', data: { webhook_id: webhookId } }]);
});

test('signs with both secrets during a rotation', async () => {
  const next = newSecret();
  await db.rotateSecret(...target(), 'a test', encryptSecret(log.keys, webhookId, next));
  const { secrets } = receiver;
  start();
  await log.append(records(1));
  await until(() => receiver.accepted.length === 1);
  receiver.secrets = [next];
  await log.append(records(1));
  await until(() => receiver.accepted.length === 2);
  expect([receiver.forged, secrets.includes(next)]).toEqual([0, false]);
});

test('says how many events retention deleted before they were delivered', async () => {
  await update({ state: 'paused' });
  await log.append(records(4));
  const { position, last_position: last } = await webhook();
  await log.query('DELETE FROM events WHERE position <= $1', last - 1);
  await update({ state: 'active' });
  start();
  await until(() => receiver.accepted.length === 1);
  await until(async () => (await attempts()).length === 2);
  const expired = (await attempts()).find(({ outcome }) => outcome === 'expired');
  expect(expired).toMatchObject({ first_position: position + 1, last_position: last - 1, events: 3 });
});

test('shares the endpoints between workers without a second delivery', async () => {
  await log.append(records(300));
  const { position, last_position: last } = await webhook();
  start();
  const other = startAnother();
  await until(async () => (await webhook()).position === last);
  await other.stop();
  expect(positions().sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, index) => position + 1 + index));
});

test('waits as long as the receiver asks, and follows no redirect', async () => {
  receiver.behave = ({ data }, response) => {
    if (data.position % 2 === 0) response.writeHead(429, { 'retry-after': '3600' }).end();
    else response.writeHead(301, { location: `${receiver.url}/elsewhere` }).end();
  };
  await log.append(records(2));
  start();
  await until(async () => (await attempts()).length >= 1 + maxTries);
  const [row] = await log.query<{ minutes: number }>(
    'SELECT (extract(epoch FROM max(retry_at) - now()) / 60)::float8 AS minutes FROM webhook_parked',
  );
  expect(row?.minutes).toBeGreaterThan(55);
  expect(receiver.requests).toBe(1 + maxTries);
  expect((await attempts()).map(({ error }) => error)).toContain(
    'answered 301: redirects are not followed, so change the URL',
  );
});

test('disables an endpoint whose secret it cannot decrypt', async () => {
  await log.append(records(1));
  start({ keys: [Buffer.alloc(32)] });
  await until(async () => (await webhook()).state === 'disabled');
  expect([receiver.requests, (await webhook()).state_reason]).toEqual([
    0,
    'its secret cannot be decrypted: WEBHOOK_SECRET_KEY has changed, so rotate the secret',
  ]);
});
