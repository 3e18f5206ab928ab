import {
  attributeTypes,
  type AttributeType,
  changedFields,
  type CustomValue,
  objects,
  type ObjectType,
  objectTypes,
} from '@crm/domain';
import { EventFold, type LoggedEvent } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { noteUpdate } from '../src/write/notes.js';
import { useSmallOrganization } from './support/small-organization.js';

const organization = useSmallOrganization('event-values-test');
const { create, database, defineFields, eventsAfter, merge, note, remove, restore, rows, run, update } = organization;

/** Applies every event of the log. @returns its contradictions, and what `changed` of an object names */
const fold = async (): Promise<{
  readonly faults: readonly string[];
  readonly changedOf: (object: string) => Set<string>;
}> => {
  const log = new EventFold();
  const events = (await eventsAfter(0)) as readonly LoggedEvent[];
  for (const event of events) log.add(event);
  const changedOf = (object: string) =>
    new Set(events.filter((event) => event.object === object).flatMap(({ changed }) => changed));
  return { faults: log.faults, changedOf };
};

const place = (city: string) => ({
  address: null,
  city,
  region: null,
  postal_code: null,
  country: null,
  lat: null,
  lng: null,
  formatted: city,
});
/** Two values of each type, as they are stored. */
const values: Readonly<Record<AttributeType, readonly [CustomValue, CustomValue]>> = {
  string: ['One', 'Two'],
  number: [1, 2.5],
  checkbox: [true, false],
  date: ['2026-01-01', '2026-01-02'],
  date_range: [
    { start: '2026-01-01', end: null },
    { start: '2026-01-01', end: '2026-01-02' },
  ],
  rating: [0, 5],
  timestamp: ['2026-01-01T00:00:00.000Z', '2026-01-01T00:00:00.001Z'],
  select: ['one', 'two'],
  multi_select: [['one'], ['one', 'two']],
  currency: [0.01, 2],
  percentage: [0, 50],
  location: [place('Kiel'), place('Bonn')],
  time: ['08:00', '08:01'],
  datetime: ['2026-01-01T08:00:00', '2026-01-01T08:00:01'],
  email: ['a@a.com', 'b@a.com'],
  phone: ['+4930123456', '+4930123457'],
  website: ['https://a.com/', 'https://b.com/'],
  url: ['https://a.com/x', 'https://a.com/y'],
  radio: ['one', 'two'],
  team_members: [[], ['0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4']],
};

const systemValues = async (objectType: ObjectType): Promise<ReadonlyMap<string, readonly [unknown, unknown]>> => {
  const members = (await rows('SELECT id FROM members WHERE organization_id = $1 ORDER BY name')).map(({ id }) => id);
  const stages = organization.pipeline().stages.map(({ id }) => id);
  const special: Readonly<Record<string, readonly [unknown, unknown]>> = {
    domain: ['one.com', 'two.com'],
    email: ['ann@one.com', 'ann@two.com'],
    currency: ['EUR', 'USD'],
    stage_id: [stages[0], stages[1]],
    owner_id: [members[0], members[1]],
    account_domain: ['linked.com', 'other.com'],
    contact_email: ['p@linked.com', 'p@other.com'],
    additional_contacts: [['a@linked.com'], ['b@linked.com', 'a@linked.com']],
  };
  const byKind: Readonly<Record<string, readonly [unknown, unknown]>> = {
    number: [0.5, 1.5],
    epoch_ms: [-1, 1_798_675_200_000],
  };
  const fields = objects[objectType].fields.filter(
    ({ name, write }: { name: string; write?: unknown }) =>
      write !== undefined && !/external_ids?$/.test(name.replace(/^external_id$/, '')),
  );
  return new Map(
    fields.map(({ name, kind }) => [name, special[name] ?? byKind[kind] ?? [`${name} one`, `${name} two`]]),
  );
};

/** Fields that a record always has, so that no update clears them. */
const required: readonly string[] = ['domain', 'email', 'name of opportunity'];

describe.each(objectTypes)('a change of one field of an %s', (objectType) => {
  test('is an event that names this field and what depends on it, with the values before and after', async () => {
    const options = ['one', 'two'].map((value) => ({ value, label: value, color: 'gray' }));
    await defineFields(
      attributeTypes.map((type) => {
        const metadata = ['select', 'multi_select', 'radio'].includes(type) ? { options } : null;
        return { objectType, attributeType: type, slug: type, metadata, isHidden: type === 'string' };
      }),
    );
    const system = await systemValues(objectType);
    const pick = (index: 0 | 1) => Object.fromEntries([...system].map(([name, pair]) => [name, pair[index]]));
    const id = await create(
      objectType,
      pick(0),
      Object.fromEntries(attributeTypes.map((type) => [type, values[type][0]])),
    );
    for (const [name, [, second]] of system) {
      const isRequired = required.includes(name) || (name === 'name' && objectType === 'opportunity');
      for (const value of isRequired ? [second] : [second, null, second])
        await run(update(objectType, { id }, { [name]: value }));
    }
    for (const type of attributeTypes)
      for (const value of [values[type][1], null, values[type][0]])
        await run(update(objectType, { id }, {}, { [type]: value }));
    const { faults, changedOf } = await fold();
    expect(faults).toEqual([]);
    const automatic = ['additional_domains', 'additional_emails', 'is_freemail', 'pipeline_id'];
    const all = [...changedFields[objectType]].filter((name) => !automatic.includes(name));
    expect([...changedOf(objectType)].sort()).toEqual(
      expect.arrayContaining([...all, ...attributeTypes.map((type) => `custom_fields.${type}`)]),
    );
  });
});

test('a merge, a deletion and a restore say exactly what they change in other records', async () => {
  const [kept, other] = [
    await create('account', { domain: 'kept.com' }),
    await create('account', { domain: 'other.com', industry: 'Steel' }),
  ];
  const [ann, bob] = [
    await create('contact', { email: 'ann@other.com' }),
    await create('contact', { email: 'bob@other.com', phone: '1' }),
  ];
  const related = {
    account_domain: 'other.com',
    contact_email: 'ann@other.com',
    additional_contacts: ['bob@other.com', 'cid@kept.com'],
  };
  const moved = await create('opportunity', { name: 'Moved', ...related });
  for (const account_domain of ['kept.com', 'other.com'])
    await create('opportunity', { name: 'Same', ...related, account_domain, next_step: account_domain });
  const noteId = await note({
    title: 'On all',
    accountDomains: ['kept.com', 'other.com'],
    contactEmails: ['ann@other.com', 'bob@other.com'],
    opportunityIds: [moved],
  });
  await run(noteUpdate({ id: noteId }, { content: 'Text' }));
  await run(noteUpdate({ id: noteId }, { title: null }));
  // Both records of a merge have former domains or emails already.
  for (const [name, id] of [
    ['kept', kept],
    ['other', other],
  ] as const)
    await merge('account', id, await create('account', { domain: `former-${name}.com` }));
  for (const [name, id] of [
    ['ann', ann],
    ['bob', bob],
  ] as const)
    await merge('contact', id, await create('contact', { email: `former-${name}@other.com` }));
  await merge('account', kept, other);
  await merge('contact', ann, bob);
  await remove('opportunity', moved);
  await restore('opportunity', moved);
  const [last] = await rows('SELECT type FROM events WHERE organization_id = $1 ORDER BY position DESC LIMIT 1');
  expect(last).toEqual({ type: 'opportunity.restored' });
  const { changedOf } = await fold();
  expect([...changedOf('note')].sort()).toEqual(['account_ids', 'contact_ids', 'content', 'opportunity_ids', 'title']);
  expect([...changedOf('account')].sort()).toEqual(['additional_domains', 'industry']);
  expect([...changedOf('contact')].sort()).toEqual(
    expect.arrayContaining(['account_id', 'additional_emails', 'phone']),
  );
  await remove('contact', ann);
  await remove('note', noteId);
  expect((await fold()).faults).toEqual([]);
});

describe('the record of a large event', () => {
  const text = 'x'.repeat(5_000);
  const bases = async () =>
    (
      await rows<{ base: number | null }>(
        'SELECT base_position::int AS base FROM events WHERE organization_id = $1 ORDER BY position',
      )
    ).map(({ base }) => base);
  const change = async (id: string) => run(update('account', { id }, { name: `Name ${Math.random()}` }));
  const weeksBefore = (weeks: number, ...positions: readonly number[]) =>
    database.pool.query(
      // In UTC, because Citus refuses functions of a column that depend on the session.
      `UPDATE events SET occurred_at = (occurred_at AT TIME ZONE 'UTC' - make_interval(days => 7 * $3)) AT TIME ZONE 'UTC'
        WHERE organization_id = $1 AND position = ANY ($2)`,
      [organization.organizationId(), positions, weeks],
    );

  test('refers to an event of the same week only, because an earlier week expires first', async () => {
    const id = await create('account', { domain: 'large.com', description: text });
    await weeksBefore(1, 1);
    // The event before is of an earlier week, so this one has all values, and the next ones refer to it.
    for (let n = 0; n < 3; n += 1) await change(id);
    expect(await bases()).toEqual([null, null, 2, 2]);
    // The event before is of this week, but the one that it refers to is not.
    await weeksBefore(1, 2);
    await change(id);
    expect(await bases()).toEqual([null, null, 2, 2, null]);
  });

  test('refers to an event of the same record and object only', async () => {
    const [one, two] = [
      await create('account', { domain: 'one.com', description: text }),
      await create('account', { domain: 'two.com', description: text }),
    ];
    await change(two);
    await change(one);
    expect(await bases()).toEqual([null, null, 2, 1]);
  });
});
