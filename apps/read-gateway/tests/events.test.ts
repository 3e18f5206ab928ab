import * as contracts from '@crm/contract';
import type { ObjectType } from '@crm/domain';
import type { TestOrganization } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { subjects } from './support/subject.js';
import { walkPages } from './support/walk.js';

const logId = expect.stringMatching(/^[0-9a-f]+-\d+-\d+-\d+$/);
const gateway = useGateway(startTestGateway);
/** Ids of the organization's records. */
let ids: Readonly<Record<'account' | 'contact' | 'opportunity' | 'note' | 'second', string>>;

type Query = Readonly<Record<string, string | number>> | string;
const list = (query: Query = {}, { key } = gateway.organization) =>
  gateway.client.call(contracts.listEvents, { query, key });
const positionsOf = async (query: Query, owner?: TestOrganization): Promise<number[]> =>
  (await list(query, owner)).data.events.map(({ position }) => position);

beforeAll(async () => {
  const { addAccount, addContact, addDeals, addNote } = gateway.records();
  // Each of these makes one event, in this order.
  ids = {
    account: await addAccount('acme.com', 'Acme'),
    contact: await addContact('ann@acme.com', 'Ann "A"', null),
    opportunity: (await addDeals([{ name: 'Deal', accountDomain: 'acme.com', primary: 'ann@acme.com' }]))[0] ?? '',
    note: await addNote({ title: 'Note', domains: ['acme.com'] }),
    second: await addAccount('beta.com', 'Beta'),
  };
  await gateway.records(gateway.stranger).addAccount('acme.com', 'Theirs');
});

/** An organization with as many events, each of another account. */
const withEvents = async (count: number): Promise<TestOrganization> => {
  const organization = await gateway.createOrganization();
  const { addAccount } = gateway.records(organization);
  for (let index = 1; index <= count; index += 1) await addAccount(`a${index}.example`, String(index));
  return organization;
};

/** Removes events, and notes the oldest readable position as the clean-up does. */
const expire = async ({ id }: TestOrganization, positions: readonly number[], oldest?: number): Promise<void> => {
  const { pool } = gateway.database;
  await pool.query('DELETE FROM events WHERE organization_id = $1 AND position = ANY ($2)', [id, positions]);
  if (oldest === undefined) return;
  await pool.query('UPDATE event_heads SET oldest_position = $2 WHERE organization_id = $1', [id, oldest]);
};

describe('200', () => {
  test('returns every event of the organization and of no other, oldest first, without gaps', async () => {
    const { data } = await list();
    expect(data).toMatchObject({ next_position: 5, last_position: 5, oldest_position: 1, has_more: false });
    expect(data.log_id).toEqual(logId);
    expect(data.events.map(({ position, object, type, record_id }) => [position, object, type, record_id])).toEqual([
      [1, 'account', 'account.created', ids.account],
      [2, 'contact', 'contact.created', ids.contact],
      [3, 'opportunity', 'opportunity.created', ids.opportunity],
      [4, 'note', 'note.created', ids.note],
      [5, 'account', 'account.created', ids.second],
    ]);
    expect(data.events[1]).toEqual({
      id: expect.any(String),
      log_id: data.log_id,
      position: 2,
      type: 'contact.created',
      object: 'contact',
      record_id: ids.contact,
      occurred_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      record: expect.objectContaining({ id: ids.contact, first_name: 'Ann "A"', account_id: ids.account }),
      version: 1,
      previous: null,
      changed: [],
      request_id: null,
      api_key_id: null,
      merged_into: null,
      merged_from: null,
    });
    expect(data.events[3]?.version).toBe(1);
  });

  test('returns pages of any size after any position', async () => {
    for (const limit of [1, 2, 5, 500]) {
      const read: number[] = [];
      for (let after = 0; ;) {
        const { events, next_position: next, has_more: hasMore } = (await list({ after, limit })).data;
        read.push(...events.map(({ position }) => position));
        expect([next, hasMore]).toEqual([events.at(-1)?.position ?? after, next < 5]);
        if (!hasMore) break;
        after = next;
      }
      expect(read).toEqual([1, 2, 3, 4, 5]);
    }
    expect((await list({ after: 5 })).data).toMatchObject({ events: [], next_position: 5, has_more: false });
  });

  test.each(['', 'after=&type=', 'after=2', 'object=account', 'after=0&type=account.created'])(
    'continues %j with cursor, beside the first after, until next_cursor is null',
    async (query) => {
      const read: number[] = [];
      for (let cursor = ''; ;) {
        const { data } = await list(`${query}&limit=1${cursor}`);
        read.push(...data.events.map(({ position }) => position));
        expect(data.next_cursor).toBe(data.has_more ? `${data.log_id}:${data.next_position}` : null);
        expect(data.events.every((event) => event.log_id === data.log_id)).toBe(true);
        if (data.next_cursor === null) break;
        cursor = `&cursor=${data.next_cursor}`;
      }
      expect(read).toEqual(await positionsOf(query));
      expect(await positionsOf(`after=${(await list()).data.log_id}:4`)).toEqual([5]);
    },
  );

  test.each([
    ['object=account', [1, 5]],
    ['type=contact.created', [2]],
    ['object=account&type=contact.created', []],
  ])('returns only the events of %s, and next_position moves past the others', async (query, expected) => {
    expect(await positionsOf(query)).toEqual(expected);
    expect((await list(query)).data).toMatchObject({ next_position: 5, has_more: false });
  });

  test('continues after the last event of a full page with a filter', async () => {
    const page = { object: 'account', limit: 1 };
    expect(await positionsOf(page)).toEqual([1]);
    expect((await list(page)).data).toMatchObject({ next_position: 1, has_more: true });
    expect(await positionsOf({ ...page, after: 1 })).toEqual([5]);
    expect((await list({ ...page, after: 1 })).data).toMatchObject({ next_position: 5, has_more: false });
  });

  test('returns position 0 and an empty page before the first event, then the latest position with its token', async () => {
    const { addAccount } = gateway.records(gateway.stranger);
    const fresh = await gateway.createOrganization();
    const latest = ({ key }: TestOrganization) => gateway.client.call(contracts.getLatestPosition, { key });
    expect((await latest(fresh)).data).toEqual({ position: 0, log_id: logId });
    const empty = { events: [], next_position: 0, last_position: 0, oldest_position: 1, has_more: false };
    expect((await list({ after: 0 }, fresh)).data).toMatchObject(empty);
    for (const domain of ['b.example', 'c.example']) await addAccount(domain, domain);
    const { data, headers } = await latest(gateway.stranger);
    expect(data.position).toBe(3);
    const marked = { 'x-read-after': headers.get('x-read-after') ?? '' };
    const { key } = gateway.stranger;
    const events = await gateway.client.call(contracts.listEvents, { headers: marked, key });
    expect(events.data).toMatchObject({ last_position: 3, log_id: data.log_id });
  });
});

test('200: the events of a merge name the other record', async () => {
  const organization = await withEvents(2);
  await gateway.database.pool.query(
    `UPDATE events SET merged_with = $2, type = CASE WHEN position = 1 THEN 'account.merged' ELSE 'account.deleted' END
      WHERE organization_id = $1`,
    [organization.id, ids.second],
  );
  expect((await list({}, organization)).data.events).toMatchObject([
    { merged_into: null, merged_from: ids.second },
    { merged_into: ids.second, merged_from: null },
  ]);
});

test('200: a filter on changed fields leaves out only updates that changed others', async () => {
  const organization = await withEvents(5);
  await gateway.database.pool.query(
    `UPDATE events SET changed = CASE WHEN position = 2 THEN '{name,domain}' WHEN position = 4 THEN '{}' ELSE '{custom_fields.x}' END::text[],
       is_erased = position = 4, type = CASE WHEN position = 5 THEN 'account.merged' ELSE 'account.updated' END
      WHERE organization_id = $1 AND position > 1`,
    [organization.id],
  );
  // The merge passes, and so does the update whose values were erased.
  expect(await positionsOf({ changed: 'industry,name' }, organization)).toEqual([1, 2, 4, 5]);
  expect(await positionsOf('changed=domain&changed[]=stage_id', organization)).toEqual([1, 2, 4, 5]);
  const { data } = await list(
    { changed: 'industry', object: 'account', after: 2, type: 'account.updated' },
    organization,
  );
  expect(data).toMatchObject({ events: [{ position: 4 }], next_position: 5, has_more: false });
});

describe('400', () => {
  test('names the fields that no event can have in changed', async () => {
    const { status, body } = await list({ changed: 'stage_id,amount', type: 'account.updated' });
    expect(status).toBe(400);
    expect(body).toMatchObject({ errors: { changed: '"stage_id" is not a field of accounts' } });
  });

  test.each([
    ...['after=-1', 'after=1.5', 'after=1e2', 'after=0x1', 'after=%201', 'after=01', 'after=x'],
    ...['after=1234567890123456', 'after=6', 'after=1&after=2', 'limit=501', 'wait=-1', 'wait=31', 'wait=1.5'],
    ...['after=:1', 'after=a:', 'after=a_b:1', 'after=a:b:1', 'cursor=x', 'cursor=-1', 'cursor=3&after=4'],
    ...['object=deal', 'type=account', 'type=account.destroyed', 'type=note.merged', 'record_id=x'],
  ])('refuses %s and names the parameter', async (query) => {
    const answer = await list(query);
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, [query.slice(0, query.indexOf('='))]]);
  });
});

describe('410', () => {
  test.each([[[1, 2]], [[]]])('is returned for events before the oldest; %j are gone', async (removed) => {
    const organization = await withEvents(5);
    await expire(organization, removed, 3);
    const { log_id: log } = (await list('', organization)).data;
    for (const query of ['after=1', 'after=1&object=account', 'after=1&wait=30', 'cursor=1', `after=${log}:1`]) {
      const { status, body } = await list(query, organization);
      expect([status, body]).toEqual([410, expect.objectContaining({ statusCode: 410, oldest_position: 3 })]);
    }
    expect((await list('after=2', organization)).data.next_position).toBe(5);
    for (const query of ['', 'after=0', `after=${log}:0`, 'after=0&object=account']) {
      expect(await positionsOf(query, organization)).toEqual([3, 4, 5]);
    }
  });

  test('is returned for a position of another log, with the id of this one, also beyond its end', async () => {
    const { log_id: log } = (await list()).data;
    for (const query of ['after=x-1:1', 'after=x:0', 'after=x:99', 'cursor=x:2', `after=x:0&cursor=${log}:2`]) {
      const { status, body } = await list(query);
      expect([query, status, body]).toEqual([
        query,
        410,
        expect.objectContaining({ code: 'log_changed', log_id: log }),
      ]);
    }
  });

  test('is returned if events are missing in the middle, with or without a filter', async () => {
    const organization = await withEvents(6);
    await expire(organization, [2, 4]);
    const filtered = ['after=0&object=note', 'after=2&type=account.created'];
    for (const query of ['after=1', 'after=3', 'after=1&limit=1', ...filtered]) {
      const { status, body } = await list(query, organization);
      expect([query, status, body]).toEqual([query, 410, expect.objectContaining({ oldest_position: 5 })]);
    }
    expect(await positionsOf('after=4', organization)).toEqual([5, 6]);
  });

  test('is not returned after the last position, even if no event is retained: nothing is missing', async () => {
    const organization = await withEvents(1);
    await expire(organization, [1], 2);
    const expected = { events: [], next_position: 1, last_position: 1, oldest_position: 2 };
    for (const query of ['after=1', '']) expect((await list(query, organization)).data).toMatchObject(expected);
    expect((await list('after=0', organization)).data).toMatchObject(expected);
  });
});

const histories = {
  account: contracts.listAccountHistory,
  contact: contracts.listContactHistory,
  opportunity: contracts.listOpportunityHistory,
};

describe.each<ObjectType>(['account', 'contact', 'opportunity'])('the history of an %s', (object) => {
  const add = async (name: string, owner?: TestOrganization): Promise<string> => {
    const { addAccount, addContact, addDeals } = gateway.records(owner);
    if (object === 'account') return addAccount(`${name}.example`, name);
    if (object === 'contact') return addContact(`${name}@people.example`, name, null);
    return (await addDeals([{ name }]))[0] ?? '';
  };
  const read = (id: string, query: Query = {}, { key } = gateway.organization) =>
    gateway.client.call(histories[object], { params: { id }, query, key });

  test('200: has only the events of the record, newest first, page by page', async () => {
    const owner = await gateway.createOrganization();
    const [id] = [await add('first', owner), await add('other', owner)];
    await gateway.database.pool.query(
      `WITH h AS (UPDATE event_heads SET position = position + 4 WHERE organization_id = $1 RETURNING position)
       INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, record, changed, bytes)
       SELECT $1, h.position - 4 + n, e.occurred_at, gen_random_uuid(), $3 || '.updated', e.object, e.record_id, 1 + n, e.record, '{}', e.bytes
         FROM h, generate_series(1, 4) n, events e WHERE organization_id = $1 AND record_id = $2`,
      [owner.id, id, object],
    );
    for (const limit of [2, 5]) {
      const answers = await walkPages((cursor) => read(id, { limit, cursor }, owner));
      const versions = answers.flatMap(({ data }) => {
        expect([data.limit, data.log_id]).toEqual([limit, logId]);
        expect(data.events.every((event) => event.record_id === id && event.object === object)).toBe(true);
        return data.events.map(({ version }) => version);
      });
      expect(versions).toEqual([5, 4, 3, 2, 1]);
    }
    const { events } = (await read(id, {}, owner)).data;
    expect(events.at(-1)).toMatchObject({ type: `${object}.created`, record: { id }, previous: null });
  });

  test('200: leaves out expired events, also those that are still stored', async () => {
    const owner = await gateway.createOrganization();
    const [old, late] = [await add('old', owner), await add('late', owner)];
    const latest = (await list('', owner)).data.last_position;
    await expire(owner, [], latest);
    expect((await read(late, {}, owner)).data.events.map(({ position }) => position)).toEqual([latest]);
    const empty = { events: [], has_more: false, next_cursor: null, limit: 100, log_id: logId };
    expect((await read(old, {}, owner)).data).toEqual(empty);
    await gateway.database.pool.query('DELETE FROM events WHERE record_id = $1', [old]);
    expect((await read(old, {}, owner)).data).toEqual(empty);
  });

  test('200: has the events of a deleted record that are still in the log', async () => {
    const owner = await gateway.createOrganization();
    const gone = await add('gone', owner);
    await gateway.database.pool.query(`DELETE FROM ${subjects[object].collection} WHERE id = $1`, [gone]);
    expect((await read(gone, {}, owner)).data.events.map(({ type }) => type)).toEqual([`${object}.created`]);
  });
});
