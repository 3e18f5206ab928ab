import { updateWebhook } from '@crm/db';
import { expect, test } from '@jest/globals';
import { maxTries, records, useWorker } from './support/use-worker.js';

const worker = useWorker();
const { start, stop, until, webhook, attempts, positions } = worker;

test('sends few requests while a receiver is down, and everything once it is back', async () => {
  let isDown = true;
  worker.receiver().behave = (_message, response) => {
    if (isDown) response.writeHead(503).end();
  };
  await worker.log().append(records(60));
  const { last_position: last, position: before } = await webhook();
  start();
  await until(async () => (await webhook()).is_failing);
  expect(worker.receiver().requests).toBeLessThan(25);
  isDown = false;
  await until(() => new Set(positions()).size === last - before);
  await until(async () => (await webhook()).parked_records === 0);
  expect(await webhook()).toMatchObject({ is_failing: false, state: 'active', position: last });
});

test('disables an endpoint whose receiver accepts nothing of several records for long', async () => {
  worker.receiver().behave = (_message, response) => response.writeHead(500).end();
  await worker.log().append(records(6));
  start({ disableAfterMs: 100 });
  await until(async () => (await webhook()).state === 'disabled');
  expect((await webhook()).state_reason).toBe('no delivery succeeded for 0.1 seconds');
});

test('keeps an endpoint with little traffic whose only record is refused for good', async () => {
  worker.receiver().behave = (_message, response) => response.writeHead(500).end();
  await worker.log().append(records(1));
  start({ disableAfterMs: 0, retryDelaysMs: Array<number>(6).fill(20) });
  await until(async () => {
    const { next_retry_at: retryAt, parked_records: parked } = await webhook();
    return retryAt === null && parked === 1;
  });
  expect([worker.receiver().requests, (await webhook()).state, (await webhook()).is_failing]).toEqual([
    7,
    'active',
    false,
  ]);
});

test('says how many events retention deleted before they were delivered', async () => {
  await updateWebhook(worker.log().database, worker.log().organizationId, worker.webhookId(), 'a test', {
    state: 'paused',
  });
  await worker.log().append(records(4));
  const { position, last_position: last } = await webhook();
  await worker.log().query('DELETE FROM events WHERE position <= $1', last - 1);
  await updateWebhook(worker.log().database, worker.log().organizationId, worker.webhookId(), 'a test', {
    state: 'active',
  });
  start();
  await until(() => worker.receiver().accepted.length === 1);
  await until(async () => (await attempts()).length === 2);
  const expired = (await attempts()).find(({ outcome }) => outcome === 'expired');
  expect(expired).toMatchObject({ first_position: position + 1, last_position: last - 1, events: 3 });
});

test('waits as long as a receiver asks, which charges no try and is no failure', async () => {
  worker.receiver().behave = (_message, response) => response.writeHead(429, { 'retry-after': '3600' }).end();
  await worker.log().append(records(30));
  start();
  await until(async () => (await attempts()).length > 0);
  await stop();
  const [row] = await worker
    .log()
    .query(
      `SELECT (extract(epoch FROM wait_until - now()) / 60)::float8 AS minutes, pace->>'parallel' AS parallel, failures FROM webhook_endpoints`,
    );
  expect(row).toEqual({ minutes: expect.closeTo(60, -1), parallel: '8', failures: 0 });
  // Only the requests of the first burst were refused.
  expect(worker.receiver().requests).toBeLessThanOrEqual(16);
  expect(await worker.log().query('SELECT DISTINCT attempts, failed_at FROM webhook_parked')).toEqual([
    { attempts: 0, failed_at: null },
  ]);
  expect(new Set((await attempts()).map(({ outcome }) => outcome))).toEqual(new Set(['deferred']));
});

test('follows no redirect', async () => {
  worker.receiver().behave = (_message, response) =>
    response.writeHead(301, { location: `${worker.receiver().url}/elsewhere` }).end();
  await worker.log().append(records(1));
  start();
  await until(async () => (await attempts()).length === maxTries);
  expect([worker.receiver().requests, (await attempts())[0]?.error]).toEqual([
    maxTries,
    'answered 301: redirects are not followed, so change the URL',
  ]);
});

test('changes no state if it cannot decrypt a secret, and leaves the endpoint to a worker with the key', async () => {
  const before = await webhook();
  await worker.log().append(records(1));
  const unreadable: number[] = [];
  const wrong = start({ keys: [Buffer.alloc(32)], onUnreadable: (count) => unreadable.push(count) });
  await until(() => unreadable.includes(1));
  expect(await webhook()).toEqual({ ...before, last_position: before.last_position + 1 });
  start();
  await until(() => worker.receiver().accepted.length === 1);
  await wrong.stop();
  expect((await webhook()).state).toBe('active');
});

test('R27: stores no answer of a receiver about a record that was erased while the delivery was in flight', async () => {
  const [erased = '', kept = ''] = records(2);
  worker.receiver().behave = ({ data }, response) => {
    const erase = `UPDATE events SET record = NULL, is_erased = true WHERE record_id = $1`;
    void (data.record_id === erased ? worker.log().query(erase, erased) : Promise.resolve()).then(() =>
      response.writeHead(422).end(`ada@example.com is refused`),
    );
    return true;
  };
  await worker.log().append([erased, kept]);
  start({ retryDelaysMs: [] });
  await until(async () => (await webhook()).parked_records === 2);
  expect((await attempts()).map(({ record_id: id }) => id)).toEqual([kept]);
});

test('lists a parked event that retention deletes as expired, also after its last try', async () => {
  const [bad = '', good = ''] = records(2);
  let isBroken = true;
  worker.receiver().behave = ({ data }, response) => {
    if (isBroken && data.record_id === bad) response.writeHead(422).end();
  };
  await worker.log().append([bad, good, bad]);
  const { position } = await webhook();
  start({ retryDelaysMs: [] });
  await until(async () => (await webhook()).parked_records === 1 && positions().length === 1);
  await stop();
  const { query, organizationId } = worker.log();
  await query(`UPDATE events SET occurred_at = now() - interval '60 days' WHERE position <= $1`, position + 1);
  await query('SELECT expire_events($1, 30)', organizationId);
  await query('DELETE FROM events WHERE position <= $1', position + 1);
  isBroken = false;
  start();
  await until(async () => (await webhook()).parked_records === 0);
  const expired = (await attempts()).filter(({ outcome }) => outcome === 'expired');
  expect(expired).toMatchObject([{ first_position: position + 1, last_position: position + 1, record_id: bad }]);
  expect(positions()).toEqual([position + 2, position + 3]);
});

test.each([0, 5, 100])('R32: delivers healthy records beside %d that are refused for good', async (bad) => {
  const refused = new Set(records(bad));
  worker.receiver().behave = ({ data }, response) => {
    if (refused.has(data.record_id)) response.writeHead(500).end();
  };
  const healthy = records(60);
  await worker.log().append([...refused, ...healthy]);
  start({ retryDelaysMs: [3_600_000] });
  await until(() => worker.receiver().accepted.length === healthy.length);
  await until(async () => (await webhook()).position === (await webhook()).last_position);
  // Retries of the refused records run beside new ones, and say nothing about the receiver.
  await worker.log().query('UPDATE webhook_parked SET retry_at = now(), attempts = 0');
  await worker.log().query('UPDATE webhook_endpoints SET retry_at = now()');
  await until(() => worker.receiver().requests >= healthy.length + 2 * bad);
  const later = records(20);
  for (const id of later) await worker.log().append([id]);
  await until(() => worker.receiver().accepted.length === healthy.length + later.length);
  await until(async () => (await webhook()).position === (await webhook()).last_position);
  expect(await webhook()).toMatchObject({ is_failing: false, state: 'active', parked_records: bad });
});

test('R33: charges no try to a receiver with a rate limit, and delivers everything', async () => {
  let tokens = 20;
  const refill = setInterval(() => {
    tokens = Math.min(20, tokens + 5);
  }, 50);
  worker.receiver().behave = (_message, response) => {
    if ((tokens -= 1) >= 0) return;
    tokens = 0;
    response.writeHead(503, { 'retry-after': new Date(Date.now() + 1_000).toUTCString() }).end();
  };
  await worker.log().append(records(100));
  start();
  await until(() => worker.receiver().accepted.length === 100);
  clearInterval(refill);
  await until(async () => (await webhook()).parked_records === 0);
  expect(await webhook()).toMatchObject({ is_failing: false, state: 'active' });
  expect((await attempts()).filter(({ outcome }) => outcome === 'failed')).toEqual([]);
});

test('continues with other records if the receiver asks to wait for one record for ever', async () => {
  const [poison = ''] = records(1);
  worker.receiver().behave = ({ data }, response) => {
    if (data.record_id === poison) response.writeHead(429, { 'retry-after': '0' }).end();
  };
  await worker.log().append([poison, ...records(20)]);
  start({ retryDelaysMs: [3_600_000] });
  // In place of the waits of a second each.
  const skipWaits = async (): Promise<void> => {
    await worker.log().query('UPDATE webhook_endpoints SET wait_until = NULL, retry_at = now() WHERE parked > 0');
    await worker.log().query('UPDATE webhook_parked SET retry_at = now() WHERE deferrals > 0');
  };
  await until(async () => {
    await skipWaits();
    return worker.receiver().accepted.length === 20;
  });
  await until(async () => {
    await skipWaits();
    const { position, last_position: last } = await webhook();
    if (position === last) await worker.log().append(records(1));
    return (await attempts()).some(({ outcome }) => outcome === 'failed');
  });
  expect((await attempts()).filter(({ outcome }) => outcome === 'failed')).toMatchObject([{ record_id: poison }]);
});
