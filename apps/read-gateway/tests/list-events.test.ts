import { listEvents as contract } from '@crm/contract';
import type { TestOrganization } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

const unknownId = '01890000-0000-7000-8000-000000000000';
let gateway: TestGateway;
/** Ids by domain and email. */
let ids: Readonly<Record<string, string>>;

type Query = Readonly<Record<string, string | number>> | string;
const list = (query: Query = {}) => gateway.client.call(contract, { query });
const recordsIn = (organization: TestOrganization) =>
  recordsOf(
    () => gateway.database,
    () => organization,
  );

beforeAll(async () => {
  gateway = await startTestGateway();
  const { addAccount, addContact, addDeals, addNote } = recordsIn(gateway.organization);
  // Each of these makes one event, in this order.
  ids = {
    account: await addAccount('acme.com', 'Acme'),
    contact: await addContact('ann@acme.com', 'Ann "A"', null),
    deal: (await addDeals([{ name: 'Deal', accountDomain: 'acme.com', primary: 'ann@acme.com' }]))[0] ?? '',
    note: await addNote('Note', ['acme.com']),
    second: await addAccount('beta.com', 'Beta'),
  };
  await recordsIn(gateway.stranger).addAccount('acme.com', 'Theirs');
});
afterAll(() => gateway.stop());

const positionsOf = (answer: Awaited<ReturnType<typeof list>>): number[] =>
  answer.data.events.map(({ position }) => position);

describe('200', () => {
  test('returns every event of the organization and of no other, oldest first, without gaps', async () => {
    const { data } = await list();
    expect(data).toMatchObject({ next_position: 5, last_position: 5, oldest_position: 1, has_more: false });
    expect(data.log_id).toMatch(/^[0-9a-f]+-\d+-\d+-\d+$/);
    expect(data.events.map(({ position, object, type, record_id }) => [position, object, type, record_id])).toEqual([
      [1, 'account', 'account.created', ids['account']],
      [2, 'contact', 'contact.created', ids['contact']],
      [3, 'opportunity', 'opportunity.created', ids['deal']],
      [4, 'note', 'note.created', ids['note']],
      [5, 'account', 'account.created', ids['second']],
    ]);
    expect(data.events[1]).toEqual({
      id: expect.any(String),
      position: 2,
      type: 'contact.created',
      object: 'contact',
      record_id: ids['contact'],
      version: 1,
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      record: expect.objectContaining({ id: ids['contact'], first_name: 'Ann "A"', account_id: ids['account'] }),
      previous: null,
      changed: [],
      request_id: null,
      api_key_id: null,
    });
    expect(data.events[3]?.version).toBe(1);
  });

  test('returns pages of any size after any position', async () => {
    for (const limit of [1, 2, 5, 500]) {
      const read: number[] = [];
      for (let after = 0; ;) {
        const answer = await list({ after, limit });
        const positions = positionsOf(answer);
        read.push(...positions);
        const { next_position: next, has_more: hasMore } = answer.data;
        expect([next, hasMore]).toEqual([positions.at(-1) ?? after, next < 5]);
        if (!hasMore) break;
        after = next;
      }
      expect(read).toEqual([1, 2, 3, 4, 5]);
    }
    expect((await list({ after: 5 })).data).toMatchObject({ events: [], next_position: 5, has_more: false });
  });

  test.each([
    ['object=account', [1, 5]],
    ['type=contact.created', [2]],
    ['type=contact.deleted', []],
    ['object=account&type=contact.created', []],
  ])('returns only the events of %s, and next_position moves past the others', async (query, expected) => {
    const answer = await list(query);
    expect(positionsOf(answer)).toEqual(expected);
    expect(answer.data).toMatchObject({ next_position: 5, has_more: false });
  });

  test('filters by record_id in upper or lower case', async () => {
    const record_id = ids['deal'] ?? '';
    expect(positionsOf(await list({ record_id }))).toEqual([3]);
    expect(positionsOf(await list({ record_id: record_id.toUpperCase() }))).toEqual([3]);
    expect(positionsOf(await list({ record_id: unknownId }))).toEqual([]);
  });

  test('continues after the last event of a full page with a filter', async () => {
    const first = await list({ object: 'account', limit: 1 });
    expect([positionsOf(first), first.data.next_position, first.data.has_more]).toEqual([[1], 1, true]);
    const second = await list({ object: 'account', limit: 1, after: 1 });
    expect([positionsOf(second), second.data.next_position, second.data.has_more]).toEqual([[5], 5, false]);
  });

  test('returns an empty page for an organization without events', async () => {
    const client = gateway.clientOf(await gateway.createOrganization());
    const { data } = await client.call(contract, { query: { after: 0 } });
    expect(data).toMatchObject({ events: [], next_position: 0, last_position: 0, oldest_position: 1, has_more: false });
  });

  test('ends a page of long events early and continues there', async () => {
    const organization = await gateway.createOrganization();
    const client = gateway.clientOf(organization);
    await recordsIn(organization).addAccount('long.example', 'Long');
    await gateway.database.pool.query(
      `INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, record, changed)
       SELECT organization_id, 1 + n, occurred_at, gen_random_uuid(), 'account.updated', object, record_id, 1 + n,
              jsonb_build_object('text', repeat(md5(n::text), 100000)), '{}'
         FROM events, generate_series(1, 5) n WHERE organization_id = $1`,
      [organization.id],
    );
    await gateway.database.pool.query('UPDATE event_heads SET position = 6 WHERE organization_id = $1', [
      organization.id,
    ]);
    const sizes: number[] = [];
    for (let after = 0, hasMore = true; hasMore;) {
      const { data } = await client.call(contract, { query: { after } });
      sizes.push(data.events.length);
      after = data.next_position;
      hasMore = data.has_more;
    }
    expect(sizes).toEqual([3, 2, 1]);
  });
});

describe('400', () => {
  test.each([
    ...['after=-1', 'after=1.5', 'after=1e2', 'after=0x1', 'after=%201', 'after=01', 'after=', 'after=x'],
    ...['after=1234567890123456', 'after=6', 'limit=0', 'limit=501', 'limit=', 'limit=1e2'],
    ...['wait=-1', 'wait=31', 'wait=1.5', 'wait=', 'wait=x', 'object=deal', 'object=', 'type=account', 'type='],
    ...['type=account.destroyed', 'type=note.merged', 'record_id=x', 'cursor=x', 'q=x'],
  ])('refuses %s and names the parameter', async (query) => {
    const answer = await list(query);
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, [query.slice(0, query.indexOf('='))]]);
  });

  test('names all invalid parameters together', async () => {
    const answer = await list('after=x&limit=0&wait=31&object=deal&type=x&record_id=y');
    expect(answer.fieldsAtFault).toEqual(['after', 'limit', 'object', 'record_id', 'type', 'wait']);
  });

  test('refuses a parameter that is sent twice', async () => {
    expect((await list('after=1&after=2')).fieldsAtFault).toEqual(['after']);
  });
});

describe('410', () => {
  test('is returned for expired events, with the oldest readable position', async () => {
    const organization = await gateway.createOrganization();
    const client = gateway.clientOf(organization);
    const { addAccount } = recordsIn(organization);
    for (let index = 1; index <= 5; index += 1) await addAccount(`a${index}.example`, String(index));
    const { pool } = gateway.database;
    await pool.query('DELETE FROM events WHERE organization_id = $1 AND position <= 2', [organization.id]);
    await pool.query('UPDATE event_heads SET oldest_position = 3 WHERE organization_id = $1', [organization.id]);
    for (const query of ['after=0', 'after=1', 'after=1&object=account', 'after=0&wait=30']) {
      const { status, body } = await client.call(contract, { query });
      expect([status, body]).toEqual([410, expect.objectContaining({ statusCode: 410, oldest_position: 3 })]);
    }
    expect((await client.call(contract, { query: 'after=2' })).data.next_position).toBe(5);
    expect((await client.call(contract)).data.events).toHaveLength(3);
  });

  test('is returned if events are missing in the middle, with or without a filter', async () => {
    const organization = await gateway.createOrganization();
    const client = gateway.clientOf(organization);
    const { addAccount } = recordsIn(organization);
    for (let index = 1; index <= 6; index += 1) await addAccount(`a${index}.example`, String(index));
    await gateway.database.pool.query('DELETE FROM events WHERE organization_id = $1 AND position IN (2, 4)', [
      organization.id,
    ]);
    for (const query of [
      'after=0',
      'after=3',
      'after=1&limit=1',
      'after=0&object=note',
      'after=2&type=account.created',
    ]) {
      const { status, body } = await client.call(contract, { query });
      expect([query, status, body]).toEqual([query, 410, expect.objectContaining({ oldest_position: 5 })]);
    }
    expect((await client.call(contract, { query: 'after=4' })).data.events).toHaveLength(2);
  });

  test('is not returned after the last position, even if no event is retained: nothing is missing', async () => {
    const organization = await gateway.createOrganization();
    const client = gateway.clientOf(organization);
    await recordsIn(organization).addAccount('gone.example', 'Gone');
    const { pool } = gateway.database;
    await pool.query('DELETE FROM events WHERE organization_id = $1', [organization.id]);
    await pool.query('UPDATE event_heads SET oldest_position = 2 WHERE organization_id = $1', [organization.id]);
    const expected = { events: [], next_position: 1, last_position: 1, oldest_position: 2 };
    for (const query of ['after=1', '']) expect((await client.call(contract, { query })).data).toMatchObject(expected);
    expect((await client.call(contract, { query: 'after=0' })).status).toBe(410);
  });
});
