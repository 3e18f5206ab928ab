import { randomBytes } from 'node:crypto';
import { readTestStack } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, send, rows: run } = useOrganization(gateway);
const slugs = ['one', 'two', 'three'] as const;

interface Event {
  readonly position: number;
  readonly type: string;
  readonly record: object | null;
  readonly previous: object | null;
}

/** Reads events as a client does. */
const readEvents = async (path: string): Promise<Event[]> => {
  const answer = await fetch(`${readTestStack().readUrl}${path}`, { headers: { 'x-api-key': organization.key } });
  return ((await answer.json()) as { data: { events: Event[] } }).data.events;
};

/** The largest text of a custom field. It is random, so that the database cannot compress it. */
const largeText = (): string => randomBytes(7_500).toString('base64');

describe('the events of a large record', () => {
  const create = async (): Promise<string> => {
    for (const slug of slugs) await organization.defineField({ objectType: 'account', slug, attributeType: 'string' });
    const custom_fields = Object.fromEntries(slugs.map((slug) => [slug, largeText()]));
    const { data } = await send('POST', 'accounts', { domain: 'large.example', custom_fields });
    return (data as { company_id: string }).company_id;
  };

  test('show the record after each change, but store unchanged values once', async () => {
    const id = await create();
    const shown: unknown[] = [];
    const changes = [
      { name: 'Renamed' },
      { custom_fields: { one: null } },
      { custom_fields: { one: 'short', two: largeText(), three: largeText() }, industry: 'Tools' },
      { name: null, custom_fields: { one: null, two: null, three: null } },
      { name: 'Small' },
    ];
    for (const change of changes) {
      const answer = await send('PATCH', `accounts/${id}`, change);
      shown.push((answer.data as { account: object }).account);
    }
    const events = await readEvents('/v1/events?type=account.updated');
    expect(events.map(({ record }) => record)).toEqual(shown);
    const history = await readEvents(`/v1/accounts/${id}/history`);
    expect(history.slice(0, shown.length).map(({ record }) => record)).toEqual(shown.toReversed());
    const stored = await run(
      'SELECT octet_length(e.record::text) AS bytes, e.base_position::int AS base FROM events e WHERE e.organization_id = $1 ORDER BY e.position',
    );
    expect(stored.map(({ base }) => base)).toEqual([null, 1, 1, null, 4, null]);
    expect(stored.slice(1, 3).every(({ bytes }) => Number(bytes) < 500)).toBe(true);
  });

  test('of a bulk update together take little more than what it sends', async () => {
    const id = await create();
    const items = Array.from({ length: 50 }, (_, index) => ({ id, name: `Name ${index}` }));
    expect((await send('PATCH', 'accounts/bulk', { items })).status).toBe(200);
    const [size] = await run(
      'SELECT count(*)::int AS events, sum(pg_column_size(e.*)) < 50000 AS is_small FROM events e WHERE e.organization_id = $1 AND e.position > 1',
    );
    expect(size).toEqual({ events: 50, is_small: true });
  });

  test('show no value once the event that has the unchanged values is erased', async () => {
    const id = await create();
    await send('PATCH', `accounts/${id}`, { name: 'Renamed' });
    const batch = JSON.stringify({ rows: 1, bytes: 1_000_000, erased: {} });
    await run(`SELECT erase_events($1, 'account', ARRAY[$2::uuid], $3)`, id, batch);
    expect((await readEvents('/v1/events')).map(({ record }) => record)).toEqual([null, null]);
  });
});

test('a page of events is cut by their stored sizes, so that events beyond its end are not read', async () => {
  for (const domain of ['a.example', 'b.example', 'c.example']) await send('POST', 'accounts', { domain });
  await run('UPDATE events SET bytes = 8400000 WHERE organization_id = $1 AND position = 2');
  expect((await readEvents('/v1/events')).map(({ position }) => position)).toEqual([1]);
  expect((await readEvents('/v1/events?after=1')).map(({ position }) => position)).toEqual([2]);
  expect((await readEvents('/v1/events?object=account')).map(({ position }) => position)).toEqual([1]);
});

test('the audit trail shows only the option that changes', async () => {
  const field = { object: 'account', slug: 'tier', current_name: 'Tier', attribute_type: 'select' };
  const { data } = await send('POST', 'fields', { ...field, options: [{ label: 'Small' }, { label: 'Large' }] });
  const { field_id: id } = (data as { field: { field_id: string } }).field;
  await send('POST', `fields/${id}/options`, { label: 'Huge' });
  await send('PATCH', `fields/${id}/options`, { value: 'Small', label: 'Tiny', position: 2 });
  const details = await run(
    `SELECT a.details FROM audit_events a WHERE a.organization_id = $1 AND a.action = 'field.update' ORDER BY a.details->'option'->'position' NULLS FIRST`,
  );
  const tier = { object: 'account', slug: 'tier', target_name: 'tier' };
  const small = { value: 'Small', label: 'Small', color: 'blue' };
  expect(details.map((row) => row['details'])).toEqual([
    { ...tier, option: { label: 'Huge' } },
    { ...tier, option: { value: 'Small', label: 'Tiny', position: 2 }, before: { option: small } },
  ]);
});
