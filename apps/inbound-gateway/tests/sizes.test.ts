import { randomBytes } from 'node:crypto';
import { setupLimits } from '@crm/domain';
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

describe('the setup takes as much as each limit says, and one more is 400', () => {
  /** SQL that adds rows to a list of the setup until it has so many. */
  const fill: Readonly<Record<keyof typeof setupLimits, string>> = {
    fields: `INSERT INTO custom_fields (organization_id, id, object_type, slug, name, attribute_type, position)
      SELECT $1, gen_random_uuid(), 'contact', 'f' || n, 'F', 'string', n FROM generate_series(1, $2::int - 1) n`,
    pipelines: `INSERT INTO pipelines (organization_id, id, name, comparable_name, position)
      SELECT $1, gen_random_uuid(), 'p' || n, 'p' || n, n
        FROM generate_series((SELECT count(*) + 1 FROM pipelines WHERE organization_id = $1), $2::int - 1) n`,
    stages: `INSERT INTO stages (organization_id, id, pipeline_id, label, comparable_label, position, color)
      SELECT $1, gen_random_uuid(), p.id, 's' || n, 's' || n, 9 + n, 'gray' FROM pipelines p,
        generate_series((SELECT count(*) + 1 FROM stages s WHERE s.organization_id = $1 AND s.pipeline_id = p.id), $2::int - 1) n
       WHERE p.organization_id = $1`,
    members: `INSERT INTO members (organization_id, id, email, name)
      SELECT $1, gen_random_uuid(), 'm' || n || '@b.example', 'M'
        FROM generate_series((SELECT count(*) + 1 FROM members WHERE organization_id = $1), $2::int - 1) n`,
    // One name that leaves room for the names below.
    bytes: `INSERT INTO custom_fields (organization_id, id, object_type, slug, name, attribute_type, position)
      SELECT $1, gen_random_uuid(), 'contact', 'f', repeat('n', $2::int - octet_length('A' || 'a0@b.example') - s.bytes::int), 'string', 1
        FROM (SELECT sum(octet_length(t)) AS bytes FROM (
          SELECT name AS t FROM pipelines WHERE organization_id = $1 UNION ALL SELECT label FROM stages WHERE organization_id = $1
          UNION ALL SELECT name || email FROM members WHERE organization_id = $1) texts) s`,
  };
  const member = (n: number) => ['members', { name: 'A', email: `a${n}@b.example` }] as const;
  const addOne: Readonly<Record<keyof typeof setupLimits, (n: number) => readonly [path: string, body: object]>> = {
    fields: (n) => ['fields', { object: 'account', current_name: `A${n}`, slug: `a${n}`, attribute_type: 'string' }],
    pipelines: (n) => ['pipelines', { name: `New ${n}`, stages: [{ label: 'A' }] }],
    stages: (n) => [`pipelines/${organization.pipeline.id}/stages`, { label: `New ${n}` }],
    members: member,
    bytes: member,
  };

  test.each(Object.entries(setupLimits) as [keyof typeof setupLimits, number][])('%s: %d', async (what, limit) => {
    await run(fill[what], limit);
    const [last, more] = [await send('POST', ...addOne[what](0)), await send('POST', ...addOne[what](1))];
    expect([last.status, last.errors]).toEqual([200, {}]);
    const shown = what === 'bytes' ? `${limit / 1024} KB` : String(limit);
    expect([more.status, more.errors]).toEqual([
      400,
      { body: expect.stringContaining(`must leave at most ${shown} `) },
    ]);
  });
});
