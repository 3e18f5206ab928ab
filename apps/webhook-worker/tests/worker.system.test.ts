import * as db from '@crm/db';
import { encryptSecret, newSecret } from '@crm/webhooks';
import { expect, test } from '@jest/globals';
import { maxTries, records, useWorker } from './support/use-worker.js';

const worker = useWorker();
const { start, stop, until, webhook, attempts, positions } = worker;
const target = () => [worker.log().database, worker.log().organizationId, worker.webhookId()] as const;
const update = (change: db.WebhookChange) => db.updateWebhook(...target(), 'a test', change);
const replay = (range: db.ReplayRange) => db.requestReplay(...target(), 'a test', range);

test('delivers each event once, signed, in the order of each record', async () => {
  const [a = '', b = ''] = records(2);
  const { last_position: before } = await webhook();
  worker.receiver().behave = ({ data }, response) => {
    if (data.position !== before + 1) return false;
    // Without the wait for this answer, the next event of the record would overtake.
    setTimeout(() => response.end(), 50);
    return true;
  };
  await worker.log().append([a, b, a, a, b]);
  start();
  await until(() => worker.receiver().accepted.length === 5);
  const ofA = worker
    .receiver()
    .accepted.filter(({ data }) => data.record_id === a)
    .map(({ data }) => data.position);
  expect(ofA).toEqual([...ofA].sort((x, y) => x - y));
  await until(async () => (await webhook()).position === (await webhook()).last_position);
  expect(worker.receiver()).toMatchObject({ forged: 0, requests: 5 });
  expect(await attempts()).toMatchObject([{ outcome: 'delivered', events: 5 }]);
});

test('parks the later events of a record whose event failed, and delivers those of others', async () => {
  const [bad = '', good = ''] = records(2);
  let failures = 2;
  worker.receiver().behave = ({ data }, response) => {
    if (data.record_id === bad && (failures -= 1) >= 0) response.writeHead(500).end('no');
  };
  await worker.log().append([bad, good, bad, good]);
  const { last_position: last } = await webhook();
  start();
  await until(() => worker.receiver().accepted.length === 4);
  expect(positions()).toEqual([last - 2, last, last - 3, last - 1]);
  await until(async () => (await webhook()).parked_records === 0);
  expect((await attempts()).map(({ outcome, status, response }) => [outcome, status, response])).toContainEqual([
    'failed',
    500,
    'no',
  ]);
});

test('keeps an event visible after its last try, until a replay delivers it', async () => {
  let isBroken = true;
  const [bad = '', good = ''] = records(2);
  worker.receiver().behave = ({ data }, response) => {
    if (isBroken && data.record_id === bad) response.writeHead(422).end();
  };
  await worker.log().append([bad, good]);
  start();
  await until(async () => (await attempts()).some(({ attempt }) => attempt === maxTries));
  await until(async () => (await webhook()).next_retry_at === null);
  expect(await webhook()).toMatchObject({ parked_records: 1, state: 'active' });
  isBroken = false;
  const { position } = await webhook();
  await replay({
    from: position - 1,
    to: position,
  });
  await until(async () => (await webhook()).parked_records === 0 && (await webhook()).replay === null);
  expect([...positions()].sort()).toEqual([position - 1, position, position]);
  const delivered = (await attempts()).filter(({ outcome }) => outcome === 'delivered');
  expect(delivered.map(({ first_position: first }) => first)).toContain(position - 1);
});

test('replays events before the one that failed, and none that the endpoint has not reached', async () => {
  const [record = ''] = records(1);
  await worker.log().append([record, record]);
  const { position, last_position: last } = await webhook();
  worker.receiver().behave = ({ data }, response) => {
    if (data.position === last) response.writeHead(500).end();
  };
  start();
  await until(async () => (await webhook()).parked_records === 1);
  await replay({
    from: last - 1,
    to: last - 1,
  });
  await until(() => positions().length === 2);
  expect(positions()).toEqual([last - 1, last - 1]);
  await stop();
  await update({
    state: 'paused',
  });
  await worker.log().query('UPDATE webhook_endpoints SET position = $1', position);
  const ahead = await replay({
    from: last,
    to: last,
  });
  expect(ahead?.webhook.replay).toBeNull();
});

test('leaves parked events as they are if a replay is refused', async () => {
  await worker.log().append(records(1));
  const { last_position: last } = await webhook();
  worker.receiver().behave = (_message, response) => response.writeHead(500, { 'retry-after': '3600' }).end();
  start();
  await until(async () => (await webhook()).parked_records === 1);
  await stop();
  await worker.log().query('UPDATE webhook_endpoints SET replay_position = 0, replay_until = 1');
  await expect(replay({ from: last, to: last })).rejects.toMatchObject({ reason: { kind: 'conflict' } });
  expect(await worker.log().query('SELECT attempts FROM webhook_parked')).toEqual([{ attempts: 1 }]);
});

test('disables an endpoint that answers 410, and continues where it stopped', async () => {
  let isGone = true;
  worker.receiver().behave = (_message, response) => {
    if (isGone) response.writeHead(410).end();
  };
  await worker.log().append(records(3));
  const { position: before } = await webhook();
  start();
  await until(async () => (await webhook()).state === 'disabled');
  expect((await webhook()).state_reason).toBe('the receiver answered 410 Gone');
  isGone = false;
  await worker.log().append(records(2));
  const { last_position: last } = await webhook();
  await update({
    state: 'active',
  });
  await until(() => new Set(positions()).size === last - before);
  expect((await webhook()).state_reason).toBeNull();
});

test.each([
  ['continued', { state: 'active' }],
  ['sent to another URL', { url: 'https://moved.example/' }],
] as const)('does not judge an endpoint that was %s by an older message', async (_how, change) => {
  const held: (() => void)[] = [];
  worker.receiver().behave = (_message, response) => held.push(() => response.writeHead(410).end()) > 0;
  await worker.log().append(records(1));
  start();
  await until(() => held.length === 1);
  await update(change);
  held[0]?.();
  await until(async () => (await attempts()).length > 0);
  await stop();
  expect(await webhook()).toMatchObject({ state: 'active', state_reason: null, parked_records: 1 });
  expect(await worker.log().query('SELECT failures, failed_at FROM webhook_endpoints')).toEqual([
    { failures: 0, failed_at: null },
  ]);
});

test('sends only what the filters let through, and thin payloads without values', async () => {
  const isDone = async () => (await webhook()).position === (await webhook()).last_position;
  start();
  for (const change of [{ types: ['account.created' as const] }, { types: [], changed: ['domain'] }]) {
    await update(change);
    await worker.log().append(records(3));
    await until(isDone);
  }
  await update({ changed: ['domain', 'name'], payload: 'thin' });
  await worker.log().append(records(1));
  await until(() => worker.receiver().accepted.length > 0);
  expect(worker.receiver().accepted).toMatchObject([{ type: 'account.updated', data: { changed: ['name'] } }]);
  expect(worker.receiver().accepted[0]?.data).not.toHaveProperty('record');
});

test('sends a test message, also to a paused endpoint', async () => {
  await update({
    state: 'paused',
  });
  await worker.log().append(records(1));
  await db.requestTest(...target(), 'a test');
  start();
  await until(async () => (await attempts()).length > 0);
  expect(worker.receiver().accepted).toMatchObject([
    { type: 'webhook.test', data: { webhook_id: worker.webhookId() } },
  ]);
});

test('signs with both secrets during a rotation', async () => {
  const next = newSecret();
  await db.rotateSecret(...target(), 'a test', encryptSecret(worker.log().keys, worker.webhookId(), next));
  const { secrets } = worker.receiver();
  start();
  await worker.log().append(records(1));
  await until(() => worker.receiver().accepted.length === 1);
  worker.receiver().secrets = [next];
  await worker.log().append(records(1));
  await until(() => worker.receiver().accepted.length === 2);
  expect([worker.receiver().forged, secrets.includes(next)]).toEqual([0, false]);
});

test('shares the endpoints between workers without a second delivery', async () => {
  await worker.log().append(records(300));
  const { position, last_position: last } = await webhook();
  start();
  const other = start();
  await until(async () => (await webhook()).position === last);
  await other.stop();
  expect(positions().sort((a, b) => a - b)).toEqual(Array.from({ length: 300 }, (_, index) => position + 1 + index));
});
