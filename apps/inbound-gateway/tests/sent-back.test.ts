import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, expectStatus: send, rows } = useOrganization(gateway);

type Fields = Readonly<Record<string, unknown>>;

/** How the tests write one kind of record. */
interface Kind {
  readonly object: 'account' | 'contact' | 'opportunity';
  readonly many: string;
  readonly body: (label: string, fields: Fields) => Fields;
  readonly changeOf: (fields: Fields) => Fields;
  readonly path: string;
}

const flat = (key: string, keyOf: (label: string) => string) => ({
  body: (label: string, fields: Fields) => ({ [key]: keyOf(label), ...fields }),
  changeOf: (fields: Fields) => fields,
  path: '',
});
const kinds: readonly Kind[] = [
  { object: 'account', many: 'accounts', ...flat('domain', (label) => `${label}.example`) },
  { object: 'contact', many: 'contacts', ...flat('email', (label) => `ann@${label}.example`) },
  {
    object: 'opportunity',
    many: 'opportunities',
    path: 'opportunity.',
    body: (label, fields) => ({ pipeline_id: organization.pipeline.id, opportunity: { name: label, ...fields } }),
    changeOf: (fields) => ({ opportunity: fields }),
  },
];

const idOf = (data: object): string => Object.values(data as Readonly<Record<string, string>>)[0] ?? '';

interface Reply {
  readonly data: Readonly<Record<string, Record<string, string>>> & {
    results: { id: string; errors?: Fields; record_status: string }[];
  };
  readonly body: { readonly errors: Fields };
}

const dataOf = async (
  method: string,
  path: string,
  body?: unknown,
  status = 200,
  query: Readonly<Record<string, string>> = {},
): Promise<Reply> => {
  const answer = await gateway().client.send(method, `/v1/inbound/${path}`, { key: organization.key, body, query });
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  return answer as unknown as Reply;
};
const fieldOf = async (object: string, slug: string, attribute_type: string, more: Fields = {}): Promise<string> => {
  const body = { object, slug, current_name: slug, attribute_type, ...more };
  return (await dataOf('POST', 'fields', body)).data['field']?.['field_id'] ?? '';
};
const options = ['web', 'fax', 'event'].map((value) => ({ label: value.toUpperCase(), value }));

describe.each(kinds)('a value that $many have already', ({ object, many, body, changeOf, path }) => {
  const create = async (label: string, fields: Fields) => idOf((await dataOf('POST', many, body(label, fields))).data);
  const stored = async (id: string) =>
    (await rows(`SELECT custom_fields, version FROM ${many} r WHERE r.organization_id = $1 AND r.id = $2`, id))[0];

  test('is accepted again by updates, creates that find the record, and bulk calls; others get 400', async () => {
    const ids = [
      await fieldOf(object, `tier_${object}`, 'select', { options }),
      await fieldOf(object, `tags_${object}`, 'multi_select', { options }),
    ];
    await fieldOf(object, `team_${object}`, 'team_members');
    await fieldOf(object, `score_${object}`, 'rating', { max: 9 });
    await fieldOf(object, `seen_${object}`, 'timestamp');
    const custom = (values: Fields) =>
      Object.fromEntries(Object.entries(values).map(([slug, value]) => [`custom__${slug}_${object}`, value]));
    const { data } = await dataOf('POST', 'members', { email: `${object}@team.example`, name: 'Gone' });
    const member = data['member']?.['member_id'] ?? '';
    const values = custom({
      tier: 'fax',
      tags: ['web', 'fax'],
      team: [member],
      score: 9,
      seen: '1970-01-01T00:00:01Z',
    });
    const [id, other] = [await create('held', values), await create('other', {})];
    for (const field of ids) await send('PATCH', `fields/${field}/options`, { value: 'fax', is_active: false });
    await send('DELETE', `members/${member}`);
    const max = `UPDATE custom_fields SET metadata = '{"max": 5}' WHERE organization_id = $1 AND slug = $2`;
    await rows(max, `score_${object}`);
    await rows('UPDATE organizations SET setup_version = $2 WHERE id = $1', randomUUID());

    const sent = { ...values, ...custom({ seen: 1000 }) };
    const before = await stored(id);
    await dataOf('PATCH', `${many}/${id}`, changeOf(sent));
    await dataOf('PATCH', `${many}/${id}`, changeOf(custom({ tier: 'FAX' })));
    await dataOf('POST', many, body('held', sent));
    await dataOf('POST', many, body('held', sent), 200, { on_match: 'update' });
    for (const query of [{}, { on_match: 'update' }, { atomic: 'true' }] as Readonly<Record<string, string>>[]) {
      const { results } = (await dataOf('POST', `${many}/bulk`, { items: [body('held', sent)] }, 200, query)).data;
      expect(results).toMatchObject([{ record_status: 'matched' }]);
    }
    expect(await stored(id)).toEqual(before);
    await dataOf('PATCH', `${many}/bulk`, { items: [{ id, ...changeOf(custom({ tags: ['event', 'fax', 'web'] })) }] });
    expect(await stored(id)).toMatchObject({ custom_fields: { [`tags_${object}`]: ['web', 'fax', 'event'] } });

    const atFault = (errors: Fields | undefined) => Object.keys(errors ?? {}).sort();
    const paths = Object.keys(values)
      .map((name) => `${path}${name}`)
      .sort();
    const refusedAt = async (
      method: string,
      where: string,
      what: Fields,
      query: Readonly<Record<string, string>> = {},
    ) => atFault((await dataOf(method, where, what, 400, query)).body.errors);
    expect(await refusedAt('PATCH', `${many}/${other}`, changeOf(sent))).toEqual(paths);
    expect(await refusedAt('POST', many, body('other', sent))).toEqual(paths);
    expect(await refusedAt('POST', many, body('other', sent), { on_match: 'update' })).toEqual(paths);
    expect(await refusedAt('POST', many, body('new', sent))).toEqual(paths);
    const mixed = { items: [body('held', sent), body('new', sent), body('new', {})] };
    const { results } = (await dataOf('POST', `${many}/bulk`, mixed)).data;
    expect(results.map(({ errors }) => atFault(errors))).toEqual([[], paths, []]);
    const changes = {
      items: [
        { id: other, ...changeOf(sent) },
        { id, ...changeOf(sent) },
      ],
    };
    const changed = (await dataOf('PATCH', `${many}/bulk`, changes)).data.results;
    expect(changed.map(({ errors }) => atFault(errors))).toEqual([paths, []]);
  });
});

describe.each(kinds)('the value of an archived field of $many', ({ object, many, body, changeOf, path }) => {
  test('is kept if it is sent back, in every kind of write; any other value is 400', async () => {
    const fields: readonly (readonly [string, Fields, unknown])[] = [
      ['multi_select', { options }, ['web', 'fax']],
      ['location', {}, { city: 'Berlin', country: 'DE' }],
      ['string', {}, 'A text'],
      ['checkbox', {}, false],
    ];
    const nameOf = (type: string) => `custom__old_${type}_${object}`;
    const values = Object.fromEntries(fields.map(([type, , value]) => [nameOf(type), value]));
    const ids: string[] = [];
    for (const [type, more] of fields) ids.push(await fieldOf(object, `old_${type}_${object}`, type, more));
    const first = await dataOf('POST', many, body('archived', values));
    const id = idOf(first.data);
    for (const field of ids) await send('PATCH', `fields/${field}`, { is_active: false });

    const nothing = Object.fromEntries(Object.keys(values).map((name) => [name, null]));
    await dataOf('PATCH', `${many}/${id}`, changeOf(values));
    await dataOf('POST', many, body('archived', values), 200, { on_match: 'update' });
    await dataOf('POST', many, body('without', nothing));
    const items = { items: [body('archived', values), body('new', values)] };
    const { results } = (await dataOf('POST', `${many}/bulk`, items)).data;
    const paths = Object.keys(values).map((name) => `${path}${name}`);
    expect(results[0]).toMatchObject({ id, record_status: 'matched' });
    expect(results[0]).not.toHaveProperty('warnings');
    expect(Object.keys(results[1]?.errors ?? {}).sort()).toEqual(paths.toSorted());
    const others = { multi_select: ['web'], location: { city: 'Berlin' }, string: 'Another', checkbox: null };
    for (const [type, value] of Object.entries(others)) {
      const refused = await dataOf('PATCH', `${many}/${id}`, changeOf({ [nameOf(type)]: value }), 400);
      expect(refused.body.errors).toEqual({
        [`${path}${nameOf(type)}`]: 'is an archived field: only a record that has this value can keep it',
      });
    }
    const [row] = await rows(`SELECT version FROM ${many} r WHERE r.organization_id = $1 AND r.id = $2`, id);
    expect(row).toMatchObject({ version: 1 });
  });
});

describe('a former member', () => {
  test('stays the owner of a deal that is sent with its email, but gets no other deal', async () => {
    const body = { pipeline_id: organization.pipeline.id, opportunity: { name: 'Owned' } };
    const related_objects = { owner_email: organization.member.email };
    const id = idOf((await dataOf('POST', 'opportunities', { ...body, related_objects })).data);
    const close = { close_date: '1970-01-02' };
    await send('DELETE', `members/${organization.member.id}?opportunities=keep`);
    await dataOf('PATCH', `opportunities/${id}`, { opportunity: close, related_objects });
    await dataOf('PATCH', `opportunities/${id}`, { opportunity: { close_date: 86_400_000 }, related_objects });
    await dataOf('POST', 'opportunities', { ...body, related_objects }, 200, { on_match: 'update' });
    const refused = await dataOf('PATCH', `opportunities/${id}`, { opportunity: { close_date: 86_400_001 } }, 400);
    expect(Object.keys(refused.body.errors)).toEqual(['opportunity.close_date']);
    await dataOf('PATCH', `opportunities/${id}`, { related_objects: { owner_email: null } });
    const again = await dataOf('PATCH', `opportunities/${id}`, { related_objects }, 400);
    expect(again.body.errors).toEqual({ 'related_objects.owner_email': 'is a former member' });
  });
});

test('an option that was made active again is accepted at once, also by a process with an older setup', async () => {
  const field = await fieldOf('account', 'again', 'select', { options });
  await send('PATCH', `fields/${field}/options`, { value: 'fax', is_active: false });
  await dataOf('POST', 'accounts', { domain: 'again.example' });
  const options_ = `jsonb_set(metadata, '{options}', (SELECT jsonb_agg(o - 'archived') FROM jsonb_array_elements(metadata->'options') o))`;
  await rows(`UPDATE custom_fields SET metadata = ${options_} WHERE organization_id = $1 AND slug = 'again'`);
  await rows('UPDATE organizations SET setup_version = $2 WHERE id = $1', randomUUID());
  const items = [{ domain: 'again.example', custom__again: 'fax' }];
  await dataOf('POST', 'accounts/bulk', { items }, 200, { atomic: 'true' });
});
