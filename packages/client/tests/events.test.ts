import { readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CrmClient, CrmApiError, CrmStartOverError, type Event } from '../src/index.js';
import { refusal, startTestCrm, type TestCrm } from './support/crm.js';

let crm: TestCrm;
let client: CrmClient;

beforeAll(async () => {
  crm = await startTestCrm(readTestStack());
  ({ client } = crm);
  for (const domain of ['a.example', 'b.example', 'c.example']) await client.accounts.create({ domain });
});
afterAll(() => crm.stop());

/** The first events of a stream. */
const take = async (stream: AsyncIterable<Event>, count: number): Promise<Event[]> => {
  const events: Event[] = [];
  for await (const event of stream) if (events.push(event) === count) break;
  return events;
};
const positions = (events: readonly Event[]): number[] => events.map(({ position }) => position);

const failure = (stream: AsyncIterable<Event>): Promise<unknown> => refusal(take(stream, Number.POSITIVE_INFINITY));

describe('events', () => {
  test('list returns a page, and latest the end of the log with a token for later reads', async () => {
    const { data } = await client.events.list({ after: 1, limit: 1 });
    expect([positions(data.events), data.next_position, data.has_more]).toEqual([[2], 2, true]);
    const latest = await client.events.latest();
    expect(latest.data).toEqual({ position: 3, log_id: data.log_id });
    expect(latest.readAfter).toEqual(expect.any(String));
  });

  test('iterate goes through pages of any size and waits for the next change', async () => {
    const stream = client.events.iterate({ after: 0, limit: 2 });
    const events = take(stream, 4);
    await client.accounts.create({ domain: 'd.example' });
    expect(positions(await events)).toEqual([1, 2, 3, 4]);
    // Each loop starts at the position of its own call.
    expect(positions(await take(stream, 2))).toEqual([1, 2]);
  });

  test('iterate without a position starts at the oldest event, and filters apply', async () => {
    await client.contacts.create({ email: 'ann@a.example' });
    const [event] = await take(client.events.iterate({ object: 'contact' }), 1);
    expect(event).toMatchObject({ type: 'contact.created', object: 'contact' });
  });

  test('the signal ends a waiting stream with its reason', async () => {
    const { data } = await client.events.latest();
    const controller = new AbortController();
    const ended = failure(client.events.iterate({ after: data.position, signal: controller.signal }));
    setTimeout(() => controller.abort(new Error('enough')), 50);
    expect(await ended).toMatchObject({ message: 'enough' });
  });

  test('history returns the events of one record, newest first', async () => {
    const { data } = await client.accounts.create({ domain: 'a.example' });
    await client.accounts.update(data.company_id, { name: 'New name' });
    const types: string[] = [];
    for await (const event of client.accounts.history(data.company_id, { limit: 1 })) types.push(event.type);
    expect(types).toEqual(['account.updated', 'account.created']);
  });
});

describe('a stream has to start over', () => {
  test('because the log is another one, at any position', async () => {
    for (const after of [0, 900]) {
      const error = await failure(client.events.iterate({ after, logId: 'another' }));
      expect(error).toBeInstanceOf(CrmStartOverError);
      expect(error).toMatchObject({ reason: 'log_changed', logId: (await client.events.latest()).data.log_id });
    }
  });

  test('but not for a position past the end of the same log, which is refused', async () => {
    const { data } = await client.events.latest();
    const error = await failure(client.events.iterate({ after: 900, logId: data.log_id }));
    expect(error).toBeInstanceOf(CrmApiError);
    expect(error).toMatchObject({ status: 400, errors: { after: expect.stringContaining('last position') } });
  });

  test('because events have expired', async () => {
    await crm.database.pool.query('UPDATE event_heads SET oldest_position = 3 WHERE organization_id = $1', [
      crm.organization.id,
    ]);
    // A stored position 0 misses events. Without its log, 0 asks for the oldest retained event.
    const { log_id: logId } = (await client.events.latest()).data;
    for (const from of [{ after: 1 }, { after: 0, logId }]) {
      const error = await failure(client.events.iterate(from));
      expect(error).toMatchObject({ name: 'CrmStartOverError', reason: 'events_expired', oldestPosition: 3 });
    }
    expect(positions(await take(client.events.iterate({ after: 0 }), 1))).toEqual([3]);
    await expect(client.events.list({ after: 1 })).rejects.toMatchObject({ status: 410, code: 'events_expired' });
    await expect(client.events.list({ cursor: 'x:3' })).rejects.toMatchObject({ status: 410, code: 'log_changed' });
  });
});

test('a stream waits while a gateway is unavailable', async () => {
  let fails = 0;
  const flaky = crm.clientWith({
    maxRetries: 0,
    fetch: async (input, init) => {
      if (fails > 0) {
        fails -= 1;
        throw new TypeError('fetch failed');
      }
      return fetch(input, init);
    },
  });
  const seen: number[] = [];
  const { data } = await client.events.latest();
  for await (const event of flaky.events.iterate({ after: data.position - 2, limit: 1 })) {
    seen.push(event.position);
    if (seen.length === 2) break;
    fails = 3;
  }
  expect(seen).toEqual([data.position - 1, data.position]);
  fails = 1;
  const options = { after: data.position, logId: data.log_id };
  expect(await failure(flaky.events.iterate(options))).toMatchObject({ name: 'CrmConnectionError' });
});
