import { afterEach, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { unknownId } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';
import { useOrganization } from './support/use-organization.js';

const gateway = useGateway();
const { organization, expectStatus: send, rows } = useOrganization(gateway);
afterEach(() => expectConsistent({ ...gateway(), organization }));

type Data = Readonly<Record<string, never>> & Record<string, Record<string, unknown>>;

const dataOf = async (method: string, path: string, body?: unknown): Promise<Data> =>
  (await send(method, path, body)).data as Data;
const deal = async (name: string, more: object = {}): Promise<string> => {
  const body = { pipeline_id: organization.pipeline.id, opportunity: { name, ...more } };
  const related = { related_objects: { owner_email: organization.member.email } };
  return String((await dataOf('POST', 'opportunities', { ...body, ...related }))['opportunity_id']);
};
const stored = async (id: string): Promise<Record<string, unknown>> => {
  const text = 'SELECT o.*, o.record::jsonb AS shown FROM opportunities o WHERE o.organization_id = $1 AND o.id = $2';
  return (await rows(text, id))[0] ?? {};
};
const stage = (label: string): string =>
  organization.pipeline.stages.find((one) => one.label === label)?.id ?? 'no such stage';
const newField = async (body: object = {}): Promise<string> => {
  const field = { object: 'opportunity', current_name: 'Tier', slug: 'tier', attribute_type: 'select' };
  const options = [{ label: 'Gold', value: 'gold' }, { label: 'Iron' }];
  return String((await dataOf('POST', 'fields', { ...field, options, ...body }))['field']?.['field_id']);
};

describe('200', () => {
  test('creates, renames, moves and archives a pipeline', async () => {
    const created = await dataOf('POST', 'pipelines', {
      name: ' Renewals ',
      stages: [{ label: 'Due' }, { label: 'Won', probability: 100, is_default: true, color: '#FF8800' }],
      position: 1,
    });
    expect(created).toMatchObject({
      pipeline: { name: 'Renewals', is_active: true },
      stages: [
        { label: 'Due', stage_order: 1, color: 'gray', is_default: false, probability: null },
        { label: 'Won', stage_order: 2, color: '#ff8800', is_default: true, probability: 100 },
      ],
    });
    const id = String(created['pipeline']?.['pipeline_id']);
    const changed = await dataOf('PATCH', `pipelines/${id}`, { name: 'Upsell', is_active: false });
    expect(changed['pipeline']).toMatchObject({ name: 'Upsell', is_active: false });
    // Visible at once in this process, because the write clears its cached setup.
    const refused = await send('POST', 'opportunities', { pipeline_id: id, opportunity: { name: 'Late' } }, 400);
    expect(refused.body).toMatchObject({ errors: { pipeline_id: 'is archived' } });
  });

  test('adds a stage at a given place, which accepts deals at once', async () => {
    const sent = { label: 'Sent', position: 2 };
    const { stage: added } = await dataOf('POST', `pipelines/${organization.pipeline.id}/stages`, sent);
    expect(added).toMatchObject({ label: 'Sent', stage_order: 2, is_active: true });
    const id = await deal('A', { stage_id: added?.['stage_id'] });
    expect(await stored(id)).toMatchObject({ shown: { stage_name: 'Sent' } });
  });

  test('takes null in creates as an absent key, and refuses an update that names nothing', async () => {
    const none = { position: null, is_default: null, outcome: null };
    const stages = [{ label: 'Due', is_default: null, outcome: null }];
    await send('POST', 'pipelines', { name: 'Renewals', stages, position: null });
    await send('POST', `pipelines/${organization.pipeline.id}/stages`, { label: 'Sent', ...none });
    const field = { object: 'account', current_name: 'Region', slug: 'region', attribute_type: 'string' };
    await send('POST', 'fields', { ...field, options: null, is_hidden: null, position: null });
    for (const path of [`pipelines/${organization.pipeline.id}`, `stages/${stage('New')}`]) {
      const { body } = await send('PATCH', path, {}, 400);
      expect(body).toMatchObject({ errors: { body: 'names nothing to change' } });
    }
  });

  test('renames a stage, also in stored records', async () => {
    const id = await deal('A', { stage_id: stage('New') });
    await dataOf('PATCH', `stages/${stage('New')}`, { label: 'Fresh', probability: 5 });
    expect(await stored(id)).toMatchObject({ shown: { stage_name: 'Fresh' }, version: 1 });
  });

  test('archives a stage and moves its deals to the given stage', async () => {
    const id = await deal('A', { stage_id: stage('New') });
    await send('PATCH', `stages/${stage('New')}`, { is_active: false, move_opportunities_to: stage('Won') });
    expect(await stored(id)).toMatchObject({ stage_id: stage('Won'), shown: { stage_name: 'Won' }, version: 2 });
    const text = `SELECT type, api_key_id IS NOT NULL AS has_key, request_id IS NOT NULL AS has_request FROM events
      WHERE organization_id = $1 AND record_id = $2 AND version = 2`;
    expect(await rows(text, id)).toEqual([{ type: 'opportunity.updated', has_key: true, has_request: true }]);
    const late = { pipeline_id: organization.pipeline.id, opportunity: { name: 'B', stage_id: stage('New') } };
    expect((await send('POST', 'opportunities', late, 400)).body).toMatchObject({
      errors: { 'opportunity.stage_id': 'is archived' },
    });
  });

  test('defines a field with options, then changes and archives them', async () => {
    const id = await newField({ pipeline_ids: [organization.pipeline.id] });
    const { field } = await dataOf('POST', `fields/${id}/options`, { label: 'Zinc', value: 'zinc' });
    expect(field).toMatchObject({ property_name: 'custom__tier', pipeline_ids: [organization.pipeline.id] });
    const changed = await dataOf('PATCH', `fields/${id}/options`, { value: 'zinc', label: 'Zn', position: 1 });
    expect(changed['field']?.['metadata']).toMatchObject({
      options: [{ label: 'Zn', value: 'zinc' }, { value: 'gold' }, { value: 'Iron' }],
    });
    await send('PATCH', `fields/${id}/options`, { value: 'gold', is_active: false });
    const gold = { pipeline_id: organization.pipeline.id, opportunity: { name: 'A', custom__tier: 'gold' } };
    await send('POST', 'opportunities', gold, 400);
  });

  test('hides and archives a field, also in stored records, and restores it with its values', async () => {
    const id = await newField();
    const dealId = await deal('A', { custom__tier: 'gold' });
    const shown = async () => (await stored(dealId))['shown'];
    await send('PATCH', `fields/${id}`, { is_hidden: true });
    expect(await shown()).toMatchObject({ custom_fields: {} });
    await send('PATCH', `fields/${id}`, { is_hidden: false, current_name: 'Level' });
    expect(await shown()).toMatchObject({ custom_fields: { tier: 'gold' } });
    await send('PATCH', `fields/${id}`, { is_active: false });
    expect(await shown()).toMatchObject({ custom_fields: {} });
    const { field } = await dataOf('PATCH', `fields/${id}`, { is_active: true });
    expect(field).toMatchObject({ current_name: 'Level', is_active: true });
    expect(await shown()).toMatchObject({ custom_fields: { tier: 'gold' } });
  });

  test('moves a field to a place; the others keep their order', async () => {
    const ofContacts = { object: 'contact', attribute_type: 'string', options: undefined };
    const ids = [];
    for (const slug of ['first', 'second', 'third']) ids.push(await newField({ ...ofContacts, slug }));
    const order = async () => {
      const text = `SELECT slug FROM custom_fields WHERE organization_id = $1 AND object_type = 'contact' ORDER BY position, id`;
      return (await rows(text)).map(({ slug }) => slug);
    };
    await dataOf('PATCH', `fields/${ids[2]}`, { position: 1 });
    expect(await order()).toEqual(['third', 'first', 'second']);
    await dataOf('PATCH', `fields/${ids[2]}`, { position: 2 });
    expect(await order()).toEqual(['first', 'third', 'second']);
    await newField({ ...ofContacts, slug: 'new', position: 2 });
    expect(await order()).toEqual(['first', 'new', 'third', 'second']);
  });

  test('adds and renames a member, and keeps the deals of a former one', async () => {
    const { member } = await dataOf('POST', 'members', { email: 'New@Team.example', name: 'Nora' });
    expect(member).toMatchObject({ email: 'new@team.example', name: 'Nora', is_active: true });
    const id = await deal('A');
    await send('DELETE', `members/${organization.member.id}?opportunities=keep`);
    expect(await stored(id)).toMatchObject({ owner_id: organization.member.id, version: 1 });
    const again = { pipeline_id: organization.pipeline.id, opportunity: { name: 'B' } };
    const related = { owner_email: organization.member.email };
    expect((await send('POST', 'opportunities', { ...again, related_objects: related }, 400)).body).toMatchObject({
      errors: { 'related_objects.owner_email': 'is a former member' },
    });
    await send('PATCH', `members/${organization.member.id}`, { is_active: true });
    await send('POST', 'opportunities', { ...again, related_objects: related });
  });

  test('passes the deals of a removed member to another one', async () => {
    const { member } = await dataOf('POST', 'members', { email: 'heir@team.example', name: 'Heir' });
    const id = await deal('A');
    await send('DELETE', `members/${organization.member.id}?reassign_to=${String(member?.['member_id'])}`);
    expect(await stored(id)).toMatchObject({ owner_id: member?.['member_id'], version: 2 });
    await send('DELETE', `members/${organization.member.id}`, undefined, 404);
  });

  test('writes the audit trail, with the key as the origin', async () => {
    const { id: keyId, key } = await organization.createKey({ allow: ['setup'] });
    await gateway().client.send('POST', '/v1/inbound/members', { key, body: { email: 'a@b.example', name: 'A' } });
    const text = 'SELECT action, actor, details FROM audit_events WHERE organization_id = $1 AND actor ~ $2';
    const details = { email: 'a@b.example', name: 'A', target_name: 'a@b.example' };
    expect(await rows(text, '^API key')).toEqual([{ action: 'member.add', actor: `API key ${keyId}`, details }]);
  });
});

test('a create that races with the removal of its owner is refused or reassigned: no deal keeps an unknown owner', async () => {
  const { member: heir } = await dataOf('POST', 'members', { email: 'heir@team.example', name: 'Heir' });
  const { key, pipeline, member } = organization;
  const create = (index: number) =>
    gateway().client.send('POST', '/v1/inbound/opportunities', {
      key,
      body: {
        pipeline_id: pipeline.id,
        opportunity: { name: `Race ${index}` },
        related_objects: { owner_email: member.email },
      },
    });
  const creates = Array.from({ length: 30 }, (_, index) => create(index));
  const path = `members/${member.id}?reassign_to=${String(heir?.['member_id'])}`;
  const removal = gateway().client.send('DELETE', `/v1/inbound/${path}`, { key });
  const statuses = (await Promise.all(creates)).map(({ status }) => status);
  expect([200, 409]).toContain((await removal).status);
  await send('DELETE', path, undefined, (await removal).status === 200 ? 404 : 200);
  expect(statuses.filter((status) => ![200, 400, 503].includes(status))).toEqual([]);
  const text = 'SELECT owner_id FROM opportunities WHERE organization_id = $1';
  const owners = await rows(text);
  const created = statuses.filter((status) => status === 200);
  expect(owners).toEqual(created.map(() => ({ owner_id: heir?.['member_id'] })));
});

const ofText = { object: 'account', current_name: 'X', slug: 'x', attribute_type: 'string' };

describe('400', () => {
  const blank = 'must not be blank: send at least one visible character';
  const usedBy = (label: string) => `is used by another option: "${label}"`;
  const refused: readonly (readonly [string, string, object, object])[] = [
    ['POST', 'pipelines', { name: ' ', stages: [{ label: 'A' }] }, { name: blank }],
    ['POST', 'pipelines', { name: 'X', stages: [] }, { stages: expect.any(String) }],
    [
      'POST',
      'pipelines',
      { name: 'X', stages: [{ label: 'A' }, { label: 'A ', color: 'mauve' }] },
      { 'stages[1].color': expect.stringMatching(/^must be #rrggbb/) },
    ],
    [
      'POST',
      'pipelines',
      { name: 'X', stages: [{ label: 'A' }, { label: 'A ' }] },
      { 'stages[1].label': expect.any(String) },
    ],
    ['POST', 'fields', { ...ofText, slug: '1x' }, { slug: expect.any(String) }],
    ['POST', 'fields', { ...ofText, attribute_type: 'select' }, { options: expect.any(String) }],
    ['POST', 'fields', { ...ofText, currency: 'EUR' }, { currency: 'does not apply to fields of the type string' }],
    ['PATCH', 'fields/{id}', { max: 3 }, { max: 'does not apply to fields of the type select' }],
    ['POST', 'fields/{id}/options', { label: 'x', color: 'zzz' }, { color: expect.stringMatching(/^must be #rrggbb/) }],
    ['POST', 'fields/{id}/options', { label: ' ' }, { label: blank }],
    ['POST', 'fields/{id}/options', { label: 'x', value: 'gold' }, { value: usedBy('gold') }],
    ['POST', 'fields/{id}/options', { label: 'Iron' }, { label: usedBy('Iron') }],
    ['POST', 'fields/{id}/options', { label: 'Iron', value: 'gold' }, { label: usedBy('Iron'), value: usedBy('gold') }],
    ['POST', 'fields/{id}/options', { label: 'GOLD', value: 'x' }, { label: usedBy('GOLD') }],
    ['PATCH', 'fields/{id}/options', { value: 'Iron', label: ' ' }, { label: blank }],
    ['PATCH', 'fields/{id}/options', { value: 'Iron', label: 'gold', position: 1 }, { label: usedBy('Gold') }],
    ['POST', 'members', { email: 'nobody', name: 'X' }, { email: expect.any(String) }],
  ];
  test('names the field of the request', async () => {
    const fieldId = await newField();
    for (const [method, path, body, errors] of refused) {
      const answer = await send(method, path.replace('{id}', fieldId), body, 400);
      expect([path, body, answer.errors]).toEqual([path, body, errors]);
    }
  });

  test('refuses to make an archived stage the default one', async () => {
    await send('PATCH', `stages/${stage('New')}`, { is_active: false }, 200);
    const errors = { is_default: 'must not be true for an archived stage' };
    expect((await send('PATCH', `stages/${stage('New')}`, { is_default: true }, 400)).body).toMatchObject({ errors });
    const both = { is_default: true, is_active: false };
    expect((await send('PATCH', `stages/${stage('Won')}`, both, 400)).body).toMatchObject({ errors });
  });

  test('refuses a stage of another pipeline, and unknown pipelines', async () => {
    const other = organization.otherPipeline.stages[0]?.id;
    const archive = { is_active: false, move_opportunities_to: other };
    expect((await send('PATCH', `stages/${stage('New')}`, archive, 400)).body).toMatchObject({
      errors: { move_opportunities_to: 'is not a stage of this pipeline' },
    });
    const field = { ...ofText, object: 'opportunity', pipeline_ids: [unknownId] };
    expect((await send('POST', 'fields', field, 400)).body).toMatchObject({
      errors: { 'pipeline_ids[0]': expect.any(String) },
    });
  });
});

describe('409', () => {
  test('refuses a taken name, label, slug or email and answers the id of its holder', async () => {
    const fieldId = await newField();
    const cases: readonly [string, string, object, string, string][] = [
      ['POST', 'pipelines', { name: 'Sales', stages: [{ label: 'A' }] }, 'name', organization.pipeline.id],
      ['PATCH', `stages/${stage('Won')}`, { label: 'New' }, 'label', stage('New')],
      ['POST', 'fields', { ...ofText, object: 'opportunity', slug: 'tier' }, 'slug', fieldId],
      ['POST', 'members', { email: organization.member.email, name: 'X' }, 'email', organization.member.id],
    ];
    for (const [method, path, body, field, existing] of cases) {
      expect((await send(method, path, body, 409)).body).toMatchObject({ conflict: { field, existing_id: existing } });
    }
  });

  test('moves no deal if the stage cannot be changed', async () => {
    const id = await deal('A', { stage_id: stage('New') });
    const archive = { is_active: false, move_opportunities_to: stage('Won') };
    const taken = await send('PATCH', `stages/${stage('New')}`, { ...archive, label: ' Won ' }, 409);
    expect(taken.body).toMatchObject({ conflict: { field: 'label', existing_id: stage('Won') } });
    for (const bad of [{ label: ' ' }, { color: 'mauve' }]) {
      const answer = await send('PATCH', `stages/${stage('New')}`, { ...archive, ...bad }, 400);
      expect(answer.fieldsAtFault).toEqual(Object.keys(bad));
    }
    expect(await stored(id)).toMatchObject({ stage_id: stage('New'), version: 1 });
  });

  test('refuses to remove a stage or member with deals and answers their count; refuses to archive the last stage', async () => {
    await deal('A', { stage_id: stage('New') });
    const inUse = { counts: { opportunities: 1 } };
    expect((await send('PATCH', `stages/${stage('New')}`, { is_active: false }, 409)).body).toMatchObject(inUse);
    expect((await send('DELETE', `members/${organization.member.id}`, undefined, 409)).body).toMatchObject(inUse);
    const [first, second] = organization.otherPipeline.stages;
    await send('PATCH', `stages/${first?.id}`, { is_active: false });
    await send('PATCH', `stages/${second?.id}`, { is_active: false }, 409);
  });
});
