import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { setupCalls } from './support/setup-calls.js';

let gateway: TestGateway;
let organization: TestGateway['organization'];

beforeAll(async () => {
  gateway = await startTestGateway();
});
beforeEach(async () => {
  organization = await gateway.createOrganization();
});
afterAll(() => gateway.stop());

const { send, dataOf, deal, stored, stage, newField } = setupCalls(
  () => gateway,
  () => organization,
);

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
    const { stage: added } = await dataOf('POST', `pipelines/${organization.pipeline.id}/stages`, {
      label: 'Sent',
      position: 2,
    });
    expect(added).toMatchObject({ label: 'Sent', stage_order: 2, is_active: true });
    const id = await deal('A', { stage_id: added?.['stage_id'] });
    expect(await stored(id)).toMatchObject({ shown: { stage_name: 'Sent' } });
  });

  test('renames a stage, also in stored records', async () => {
    const id = await deal('A', { stage_id: stage('New') });
    await dataOf('PATCH', `stages/${stage('New')}`, { label: 'Fresh', probability: 5 });
    expect(await stored(id)).toMatchObject({ shown: { stage_name: 'Fresh' }, version: 1 });
    await expectConsistent(gateway);
  });

  test('archives a stage and moves its deals to the given stage', async () => {
    const id = await deal('A', { stage_id: stage('New') });
    await send('PATCH', `stages/${stage('New')}`, { is_active: false, move_opportunities_to: stage('Won') });
    expect(await stored(id)).toMatchObject({ stage_id: stage('Won'), shown: { stage_name: 'Won' }, version: 2 });
    const text = `SELECT type, api_key_id IS NOT NULL AS has_key, request_id IS NOT NULL AS has_request FROM events
      WHERE organization_id = $1 AND record_id = $2 AND version = 2`;
    expect(await gateway.database.query(organization.id, { text, values: [id] })).toEqual([
      { type: 'opportunity.updated', has_key: true, has_request: true },
    ]);
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
    await send('PATCH', `fields/${id}/options`, { value: 'gold', archived: true });
    const gold = { pipeline_id: organization.pipeline.id, opportunity: { name: 'A', custom__tier: 'gold' } };
    await send('POST', 'opportunities', gold, 400);
  });

  test('hides and archives a field, also in stored records, and restores it with its values', async () => {
    const id = await newField();
    const dealId = await deal('A', { custom__tier: 'gold' });
    const shown = async () => (await stored(dealId))['shown'];
    await send('PATCH', `fields/${id}`, { is_hidden: true });
    expect(await shown()).toMatchObject({ custom_fields: {} });
    await send('PATCH', `fields/${id}`, { is_hidden: false, name: 'Level' });
    expect(await shown()).toMatchObject({ custom_fields: { tier: 'gold' } });
    await send('PATCH', `fields/${id}`, { is_active: false });
    expect(await shown()).toMatchObject({ custom_fields: {} });
    const { field } = await dataOf('PATCH', `fields/${id}`, { is_active: true });
    expect(field).toMatchObject({ current_name: 'Level', is_active: true });
    expect(await shown()).toMatchObject({ custom_fields: { tier: 'gold' } });
    await expectConsistent(gateway);
  });

  test('moves a field to a place; the others keep their order', async () => {
    const ids = [];
    for (const slug of ['first', 'second', 'third'])
      ids.push(await newField({ object: 'contact', slug, name: slug, attribute_type: 'string', options: undefined }));
    const order = async () => {
      const text = `SELECT slug FROM custom_fields WHERE organization_id = $1 AND object_type = 'contact' ORDER BY position, id`;
      return (await gateway.database.query<{ slug: string }>(organization.id, { text, values: [] })).map(
        ({ slug }) => slug,
      );
    };
    await dataOf('PATCH', `fields/${ids[2]}`, { position: 1 });
    expect(await order()).toEqual(['third', 'first', 'second']);
    await dataOf('PATCH', `fields/${ids[2]}`, { position: 2 });
    expect(await order()).toEqual(['first', 'third', 'second']);
    await newField({
      object: 'contact',
      slug: 'new',
      name: 'new',
      attribute_type: 'string',
      options: undefined,
      position: 2,
    });
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
    await gateway.client.send('POST', '/v1/inbound/members', { key, body: { email: 'a@b.example', name: 'A' } });
    const text = 'SELECT action, actor, details FROM audit_events WHERE organization_id = $1 AND actor ~ $2';
    expect(await gateway.database.query(organization.id, { text, values: ['^API key'] })).toEqual([
      { action: 'member.add', actor: `API key ${keyId}`, details: { email: 'a@b.example', name: 'A' } },
    ]);
  });
});

describe('races', () => {
  test('refuse or reassign creates that name a member who is being removed: no deal keeps an unknown owner', async () => {
    const { member: heir } = await dataOf('POST', 'members', { email: 'heir@team.example', name: 'Heir' });
    const heirId = String(heir?.['member_id']);
    const { key } = organization;
    const create = (index: number) =>
      gateway.client.send('POST', '/v1/inbound/opportunities', {
        key,
        body: {
          pipeline_id: organization.pipeline.id,
          opportunity: { name: `Race ${index}` },
          related_objects: { owner_email: organization.member.email },
        },
      });
    const creates = Array.from({ length: 30 }, (_, index) => create(index));
    const removal = gateway.client.send(
      'DELETE',
      `/v1/inbound/members/${organization.member.id}?reassign_to=${heirId}`,
      { key },
    );
    const statuses = (await Promise.all(creates)).map(({ status }) => status);
    expect([200, 409]).toContain((await removal).status);
    await send(
      'DELETE',
      `members/${organization.member.id}?reassign_to=${heirId}`,
      undefined,
      (await removal).status === 200 ? 404 : 200,
    );
    expect(statuses.filter((status) => ![200, 400, 503].includes(status))).toEqual([]);
    const text = 'SELECT owner_id, count(*)::int AS count FROM opportunities WHERE organization_id = $1 GROUP BY 1';
    const created = statuses.filter((status) => status === 200).length;
    expect(await gateway.database.query(organization.id, { text, values: [] })).toEqual(
      created === 0 ? [] : [{ owner_id: heirId, count: created }],
    );
  });
});
