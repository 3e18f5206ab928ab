import { randomUUID } from 'node:crypto';
import { claimWebhook, type DeliveryResult, findDueWebhooks, listAttempts, listParked, saveDeliveries } from '@crm/db';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { createTestLog, type TestLog } from './support/test-log.js';

let log: TestLog;
let id: string;
const workerId = randomUUID();
const webhook = () => ({ organizationId: log.organizationId, id, secret: '', previousSecret: null });

beforeAll(async () => {
  log = await createTestLog();
  await log.append([randomUUID(), randomUUID()]);
});
afterAll(() => log.close());
beforeEach(async () => {
  await log.query('DELETE FROM webhook_endpoints');
  ({ id } = await log.addWebhook('http://127.0.0.1/'));
  await log.query('UPDATE webhook_endpoints SET position = 0');
});
const set = (columns: string) => log.query(`UPDATE webhook_endpoints SET ${columns} WHERE id = $1`, id);

/** What a worker stores if it did nothing. */
const nothing: Omit<DeliveryResult, 'updated_at'> = {
  ...{ position_before: 0, position: 0, replay_position: null, is_test_done: false, failures: 0, is_failing: false },
  ...{ has_failed: false, probe_ms: null, wait_ms: null, pace: null, disabled_because: null, is_released: false },
  ...{ parked: [], delivered: [], attempts: [] },
};
const save = async (result: Partial<DeliveryResult>): Promise<void> => {
  const { updated_at = '' } = (await claimWebhook(log.database, webhook(), workerId, 30_000)) ?? {};
  expect(await saveDeliveries(log.database, webhook(), workerId, { updated_at, ...nothing, ...result })).toBe(true);
};

describe('an endpoint is due', () => {
  const [past, future] = [`now() - interval '1 second'`, `now() + interval '1 minute'`];
  test.each<[isDue: boolean, columns: string]>([
    [true, 'position = 0'],
    [true, 'position = 1'],
    [false, 'position = 2'],
    [false, `state = 'paused'`],
    [false, `state = 'disabled'`],
    [true, `state = 'paused', is_test_due = true`],
    [true, 'position = 2, is_test_due = true'],
    [false, `wait_until = ${future}`],
    [true, `wait_until = ${past}`],
    [false, `probe_at = ${future}, is_failing = true`],
    [true, `probe_at = ${past}, is_failing = true`],
    [false, `claimed_until = ${future}`],
    [true, `claimed_until = ${past}`],
    [false, `claimed_until = ${future}, is_test_due = true`],
    [true, `position = 2, retry_at = ${past}`],
    [false, `position = 2, retry_at = ${future}`],
    [false, `position = 2, retry_at = ${past}, wait_until = ${future}`],
    [false, `position = 2, retry_at = ${past}, state = 'paused'`],
    [true, `probe_at = ${future}, retry_at = ${past}`],
    [true, 'position = 2, replay_position = 0, replay_until = 1'],
    [false, 'position = 2, replay_position = 1, replay_until = 1'],
    [false, 'position = 2, replay_position = 0, replay_until = 1, is_failing = true'],
    [true, 'parked = 9999'],
    [false, 'parked = 10000'],
    [true, `parked = 10000, retry_at = ${past}`],
  ])('%s: with %s', async (isDue, columns) => {
    await set(columns);
    expect((await findDueWebhooks(log.database)).map((due) => due.id)).toEqual(isDue ? [id] : []);
    expect(await findDueWebhooks(log.database, [id])).toEqual([]);
  });
});

describe('the attempts of an endpoint', () => {
  const attempts = async () =>
    (await listAttempts(log.database, log.organizationId, id, { before: null, limit: 100 })).map(
      ({ outcome, attempt, first_position: first, last_position: last, events }) => [
        outcome,
        attempt,
        first,
        last,
        events,
      ],
    );
  const delivered = (first: number, last: number, attempt = 1) =>
    ({ outcome: 'delivered', first_position: first, last_position: last, events: last - first + 1, attempt }) as const;
  const age = (interval: string) =>
    log.query(
      `UPDATE webhook_attempts SET occurred_at = (occurred_at AT TIME ZONE 'UTC' - interval '${interval}') AT TIME ZONE 'UTC'
        WHERE endpoint_id = $1`,
      id,
    );

  test('join deliveries one after the other at the same try within a minute', async () => {
    await save({ attempts: [delivered(1, 2), delivered(3, 3)] });
    await save({ attempts: [delivered(4, 9)] });
    expect(await attempts()).toEqual([['delivered', 1, 1, 9, 9]]);
    await save({ attempts: [delivered(10, 10, 2)] });
    await save({ attempts: [delivered(5, 5)] });
    expect(await attempts()).toEqual([
      ['delivered', 1, 5, 5, 1],
      ['delivered', 2, 10, 10, 1],
      ['delivered', 1, 1, 9, 9],
    ]);
    // A replay begins again at an earlier event.
    await save({ attempts: [delivered(3, 4)] });
    expect((await attempts()).slice(0, 2)).toEqual([
      ['delivered', 1, 3, 4, 2],
      ['delivered', 1, 5, 5, 1],
    ]);
    await age('1 minute');
    await save({ attempts: [delivered(11, 11)] });
    expect((await attempts())[0]).toEqual(['delivered', 1, 11, 11, 1]);
  });

  test('are listed newest first, and joined with the newest, also if many are of one millisecond', async () => {
    // Every second one is of another try, so none is joined with the one before.
    const alternating = Array.from({ length: 40 }, (_, n) => delivered(n + 1, n + 1, (n % 2) + 1));
    await save({ attempts: [...alternating, delivered(41, 45, 2)] });
    const newestFirst = alternating.map(({ attempt }, n) => ['delivered', attempt, n + 1, n + 1, 1]).reverse();
    expect(await attempts()).toEqual([['delivered', 2, 40, 45, 6], ...newestFirst.slice(1)]);
    const parked = Array.from({ length: 12 }, (_, n) => ({
      object: 'account',
      record_id: randomUUID(),
      position: n + 1,
    }));
    const more = { was: null, attempts: 1, deferrals: 0, delay_ms: null, error: null, has_failed: true };
    await save({ parked: parked.map((one) => ({ ...one, ...more })) });
    await log.query(
      `SELECT skip_deliveries(organization_id, id, NULL, NULL, 'tester') FROM webhook_endpoints WHERE id = $1`,
      id,
    );
    expect((await attempts()).slice(0, 12).map(([, , first]) => first)).toEqual(
      parked.map((one) => one.position).reverse(),
    );
  });

  test('are never joined over a failure', async () => {
    const failed = {
      outcome: 'failed',
      events: 1,
      attempt: 1,
      first_position: 2,
      last_position: 2,
      error: 'e',
    } as const;
    for (const one of [delivered(1, 1), failed, delivered(3, 3)]) await save({ attempts: [one] });
    expect((await attempts()).map(([outcome]) => outcome).sort()).toEqual(['delivered', 'delivered', 'failed']);
  });

  test('are kept and listed for seven days', async () => {
    await save({ attempts: [delivered(1, 1)] });
    await age('6 days 23 hours');
    await save({ attempts: [delivered(2, 2)] });
    expect(await attempts()).toHaveLength(2);
    await age('2 hours');
    expect((await attempts()).map(([, , first]) => first)).toEqual([2]);
    // The row is removed with the next result. Its id has the time too.
    await log.query(
      `UPDATE webhook_attempts SET id = '01800000-0000-7000-8000-000000000000' WHERE endpoint_id = $1 AND first_position = 1`,
      id,
    );
    await save({});
    expect(
      await log.query('SELECT first_position::int AS first FROM webhook_attempts WHERE endpoint_id = $1', id),
    ).toEqual([{ first: 2 }]);
  });
});

describe('the parked records of an endpoint', () => {
  const record = (position: number, more: object = {}) => ({
    ...{ object: 'account', record_id: randomUUID(), position, attempts: 1, deferrals: 0 },
    ...{ was: null, delay_ms: 60_000, error: 'e', has_failed: true, ...more },
  });
  const parked = async () =>
    (await listParked(log.database, log.organizationId, id, { after: null, limit: 100 })).map(
      ({ position, attempts, next_retry_at: at }) => [
        position,
        attempts,
        at === null ? null : new Date(at).getTime() > Date.now() ? 'later' : 'due',
      ],
    );

  test('are all due once a receiver that was failing is back, and only those that failed meanwhile', async () => {
    await save({
      failures: 1,
      has_failed: true,
      is_failing: true,
      parked: [record(1), record(2, { delay_ms: null }), record(3, { has_failed: false })],
    });
    const before = [
      [1, 1, 'later'],
      [2, 1, null],
      [3, 1, 'later'],
    ];
    expect(await parked()).toEqual(before);
    await save({ failures: 1, is_failing: true });
    expect(await parked()).toEqual(before);
    await save({});
    expect(await parked()).toEqual([[1, 1, 'due'], ...before.slice(1)]);
    expect(await log.query('SELECT parked, failing_since FROM webhook_endpoints WHERE id = $1', id)).toEqual([
      { parked: 3, failing_since: null },
    ]);
  });

  test('leave with the position that the worker knew, and stay with another one', async () => {
    const [one, two] = [record(1), record(2)];
    await save({ parked: [one, two] });
    const gone = ({ object, record_id }: typeof one, was: number | null) => ({ object, record_id, was });
    await save({ delivered: [gone(one, 1), gone(two, 1)] });
    expect(await parked()).toEqual([[2, 1, 'later']]);
    await save({ parked: [{ ...two, was: 1, position: 5 }] });
    expect((await parked())[0]?.[0]).toBe(2);
    await save({ parked: [{ ...two, was: 2, position: 5, attempts: 4 }] });
    expect(await parked()).toEqual([[5, 4, 'later']]);
    await save({ delivered: [gone(two, null)] });
    expect(await parked()).toEqual([]);
  });
});
