import * as contracts from '@crm/contract';
import type { ObjectType } from '@crm/domain';
import type { Answer } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { type Seeded, seedEach, seededRecords, visibleSlugs } from './support/seed-subject.js';
import { addRecord, subjects, type WireRecord } from './support/subject.js';

const unknownId = '01890000-0000-7000-8000-000000000000';

const gateway = useGateway(startTestGateway);
let seeded: Readonly<Record<ObjectType, Seeded>>;
beforeAll(async () => {
  seeded = await seedEach(gateway);
});

describe.each(Object.values(subjects))('$objectType', ({ objectType, collection, baseKeys, extraKeys }) => {
  const idOf = (key: string): string => seeded[objectType].ids[key] ?? '';
  const get = (id: string, query = ''): Promise<Answer> =>
    seeded[objectType].client.send('GET', `/v1/${collection}/${id}`, { query });
  const dataOf = (answer: Answer) => {
    const { custom_field_definitions: definitions, ...data } = answer.data as Readonly<Record<string, object>>;
    return { record: data[objectType] as WireRecord, slugs: Object.keys(definitions ?? {}), keys: Object.keys(data) };
  };
  const update = (id: string, set: string) =>
    gateway.database.query(seeded[objectType].organization.id, {
      text: `UPDATE ${collection} SET ${set} WHERE organization_id = $1 AND id = $2`,
      values: [id],
    });

  test('200: returns every system field and visible custom field', async () => {
    for (const { key, custom = {} } of seededRecords) {
      const { record, slugs, keys } = dataOf(await get(idOf(key)));
      expect(keys).toEqual([objectType]);
      expect(Object.keys(record).sort()).toEqual([...baseKeys, ...extraKeys].sort());
      expect(record.id).toBe(idOf(key));
      const visible = Object.entries(custom).filter(([slug]) => visibleSlugs.includes(slug));
      expect([record.custom_fields, slugs]).toEqual([Object.fromEntries(visible), visibleSlugs]);
    }
    expect((await get(idOf('a1').toUpperCase())).text).toBe((await get(idOf('a1'))).text);
  });

  test.each([
    ['fields=motto&fields[]=created_at', { motto: 'Größe' }, ['created_at']],
    ['fields=secret', { secret: 'S' }, []],
  ])('200: returns only the fields and definitions of %s, also hidden ones', async (query, custom, extras) => {
    const { record, slugs } = dataOf(await get(idOf('a1'), query));
    expect(Object.keys(record).sort()).toEqual([...baseKeys, ...extras].sort());
    expect([record.custom_fields, slugs]).toEqual([custom, Object.keys(custom)]);
  });

  test('200: adds to all fields with the name default', async () => {
    const { record, slugs } = dataOf(await get(idOf('a1'), 'fields=default,secret'));
    expect(Object.keys(record).sort()).toEqual([...baseKeys, ...extraKeys].sort());
    expect(slugs.toSorted()).toEqual([...visibleSlugs, 'secret'].sort());
    expect((await get(idOf('a1'), 'fields=default')).text).toBe((await get(idOf('a1'))).text);
  });

  test('200: has the version in its ETag, whatever the fields, and instants in UTC', async () => {
    const id = idOf('b1');
    expect((await get(id)).headers.get('etag')).toMatch(/^"1\.[0-9a-f]{20}"$/);
    await update(id, `version = 7, created_at = '2026-01-02T03:04:05.06+02:00'`);
    const whole = await get(id);
    const narrowed = await get(id, 'fields=version');
    const tags = [whole, narrowed].map(({ headers }) => headers.get('etag'));
    expect(tags).toEqual([expect.stringMatching(/^"7\./), expect.stringMatching(/^"7\./)]);
    expect(tags[0]).not.toBe(tags[1]);
    expect(dataOf(narrowed).record['version']).toBe(7);
    expect(dataOf(whole).record['created_at']).toBe('2026-01-02T01:04:05.060Z');
  });

  test('404: answers the id of another object’s record as unknown', async () => {
    const other = objectType === 'account' ? 'contact' : 'account';
    const { organization } = seeded[objectType];
    const id = await addRecord(gateway.database, organization, other, { key: 'another', name: null });
    const unknown = await get(unknownId);
    expect(unknown.status).toBe(404);
    expect((await get(id)).comparable).toBe(unknown.comparable);
  });
});

describe.each([
  {
    object: 'account' as const,
    path: '/v1/accounts/by-domain',
    key: 'a1.example',
    parameter: 'domain',
    spellings: ['WWW.A1.Example', 'https://a1.example/path?x=1', ' a1.example. '],
    alias: 'merged.example',
  },
  {
    object: 'contact' as const,
    path: '/v1/contacts/by-email',
    key: 'a1@people.example',
    parameter: 'email',
    spellings: ['A1@People.Example', ' a1@people.example. '],
    alias: 'merged@people.example',
  },
])('$object by $parameter', ({ object, path, key, parameter, spellings, alias }) => {
  const get = (text: string, query = ''): Promise<Answer> =>
    seeded[object].client.send('GET', `${path}/${encodeURIComponent(text)}`, { query });

  test('200: normalizes the key and answers the same as the lookup by id', async () => {
    const id = seeded[object].ids['a1'] ?? '';
    const byId = await seeded[object].client.send('GET', `/v1/${object}s/${id}`);
    for (const spelling of [key, ...spellings]) {
      const answer = await get(spelling);
      expect([answer.text, answer.headers.get('etag')]).toEqual([byId.text, byId.headers.get('etag')]);
    }
  });

  test('200: finds the kept record of a merge by an alias', async () => {
    const text = `INSERT INTO ${object}_aliases (organization_id, ${parameter}, ${object}_id) VALUES ($1, $3, $2)`;
    const { organization, ids } = seeded[object];
    await gateway.database.query(organization.id, { text, values: [ids['a1'], alias] });
    expect((await get(alias)).text).toBe((await get(key)).text);
  });
});

describe('200: the related records and the pipeline of an opportunity', () => {
  const get = async (id: string, query = '') =>
    (await gateway.client.call(contracts.getOpportunity, { params: { id }, query })).data;

  test('returns the definitions of its own pipeline, even for fields that are named', async () => {
    const { pipeline, otherPipeline, defineField } = gateway.organization;
    const own = { objectType: 'opportunity', attributeType: 'string' } as const;
    await defineField({ ...own, slug: 'everywhere' });
    await defineField({ ...own, slug: 'of_first', pipelineIds: [pipeline.id] });
    await defineField({ ...own, slug: 'of_other', pipelineIds: [otherPipeline.id] });
    const deal = { name: 'Other', pipelineId: otherPipeline.id, custom: { of_other: 'x' } };
    const [id = ''] = await gateway.records().addDeals([deal]);
    // An unknown field name makes the gateway reload the cached setup.
    const narrowed = await get(id, 'fields=of_first,of_other');
    expect(Object.keys(narrowed.custom_field_definitions)).toEqual(['of_other']);
    const whole = await get(id);
    expect(Object.keys(whole.custom_field_definitions)).toEqual(['everywhere', 'of_other']);
    expect(whole.opportunity.custom_fields).toEqual({ of_other: 'x' });
  });

  test('computes the time in the stage only if it is named', async () => {
    const [id = ''] = await gateway.records().addDeals([{ name: 'Waiting' }]);
    const text = `UPDATE opportunities SET stage_entered_at = now() - interval '1 day' WHERE organization_id = $1 AND id = $2`;
    await gateway.database.query(gateway.organization.id, { text, values: [id] });
    const { seconds_in_stage: seconds } = (await get(id, 'fields=seconds_in_stage')).opportunity;
    expect(seconds).toBeGreaterThanOrEqual(86_400);
    expect(seconds).toBeLessThan(2 * 86_400);
    expect((await get(id)).opportunity).not.toHaveProperty('seconds_in_stage');
  });

  test('304: only while nothing in the response changes, also no name of a related record and no definition', async () => {
    const { addDeals } = gateway.records();
    const [id = ''] = await addDeals([
      { name: 'Tagged', accountDomain: 'tagged.example', primary: 'ann@tagged.example' },
    ]);
    const ask = (tag = ''): Promise<Response> =>
      fetch(`${gateway.url}/v1/opportunities/${id}`, {
        headers: { 'x-api-key': gateway.organization.key, 'if-none-match': tag },
      });
    const change = (text: string) => gateway.database.query(gateway.organization.id, { text, values: [] });
    let tag = (await ask()).headers.get('etag') ?? '';
    const changes = [
      () => change(`UPDATE accounts SET name = 'Renamed' WHERE organization_id = $1 AND domain = 'tagged.example'`),
      () =>
        change(`UPDATE contacts SET first_name = 'New' WHERE organization_id = $1 AND email = 'ann@tagged.example'`),
      () =>
        gateway.organization.defineField({ objectType: 'opportunity', attributeType: 'string', slug: 'added_later' }),
    ];
    for (const make of changes) {
      const unchanged = await ask(tag);
      expect([unchanged.status, await unchanged.text(), unchanged.headers.get('etag')]).toEqual([304, '', tag]);
      await make();
      // A new definition is seen within a second, or at once by a request that names it.
      await fetch(`${gateway.url}/v1/opportunities/${id}?fields=added_later`, {
        headers: { 'x-api-key': gateway.organization.key },
      });
      const changed = await ask(tag);
      expect(changed.status).toBe(200);
      expect(changed.headers.get('etag')).not.toBe(tag);
      tag = changed.headers.get('etag') ?? '';
    }
  });
});
