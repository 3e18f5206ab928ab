import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { unknownId } from './support/records-of.js';
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

const { send, deal, stored, stage, newField } = setupCalls(
  () => gateway,
  () => organization,
);

describe('400', () => {
  test.each<[string, string, object, string]>([
    ['POST', 'pipelines', { name: ' ', stages: [{ label: 'A' }] }, 'name'],
    ['POST', 'pipelines', { name: 'X', stages: [] }, 'stages'],
    ['POST', 'pipelines', { name: 'X', stages: [{ label: 'A' }, { label: 'A ' }] }, 'stages[1].label'],
    ['POST', 'pipelines', { name: 'X', stages: [{ label: 'A', color: 'mauve' }] }, 'stages[0].color'],
    ['POST', 'fields', { object: 'account', name: 'X', slug: '1x', attribute_type: 'string' }, 'slug'],
    ['POST', 'fields', { object: 'account', name: 'X', slug: 'x', attribute_type: 'select' }, 'options'],
    ['POST', 'fields', { object: 'account', name: 'X', slug: 'x', attribute_type: 'string', max: 3 }, 'max'],
    ['POST', 'members', { email: 'nobody', name: 'X' }, 'email'],
  ])('%s %s %j: refuses %s', async (method, path, body, field) => {
    expect((await send(method, path, body, 400)).body).toMatchObject({ errors: { [field]: expect.any(String) } });
  });

  test('refuses to make an archived stage the default one', async () => {
    await send('PATCH', `stages/${stage('New')}`, { is_active: false }, 200);
    const errors = { is_default: 'must not be true for an archived stage' };
    expect((await send('PATCH', `stages/${stage('New')}`, { is_default: true }, 400)).body).toMatchObject({ errors });
    const both = { is_default: true, is_active: false };
    expect((await send('PATCH', `stages/${stage('Won')}`, both, 400)).body).toMatchObject({ errors });
  });

  test.each<[string, object, object]>([
    ['POST', { label: 'x', color: 'zzz' }, { color: expect.stringMatching(/^must be #rrggbb/) }],
    ['POST', { label: ' ' }, { label: 'must not be blank: send at least one visible character' }],
    ['POST', { label: 'x', value: 'gold' }, { value: 'is used by another option: "gold"' }],
    ['POST', { label: 'Iron' }, { label: 'is used by another option: "Iron"' }],
    ['POST', { label: 'GOLD', value: 'x' }, { label: 'is used by another option: "GOLD"' }],
    ['PATCH', { value: 'Iron', label: ' ' }, { label: 'must not be blank: send at least one visible character' }],
    ['PATCH', { value: 'Iron', label: 'gold', position: 1 }, { label: expect.stringMatching(/^is used by another/) }],
  ])('%s fields/{id}/options %j: names the field of the request', async (method, body, errors) => {
    expect((await send(method, `fields/${await newField()}/options`, body, 400)).errors).toEqual(errors);
  });

  test('says that a setting is for fields of another type', async () => {
    const field = { object: 'account', name: 'X', slug: 'x', attribute_type: 'string', currency: 'EUR' };
    expect((await send('POST', 'fields', field, 400)).errors).toEqual({
      currency: 'does not apply to fields of the type string',
    });
    expect((await send('PATCH', `fields/${await newField()}`, { max: 3 }, 400)).errors).toEqual({
      max: 'does not apply to fields of the type select',
    });
  });

  test('refuses a stage of another pipeline, and unknown pipelines', async () => {
    const other = organization.otherPipeline.stages[0]?.id;
    const archive = { is_active: false, move_opportunities_to: other };
    expect((await send('PATCH', `stages/${stage('New')}`, archive, 400)).body).toMatchObject({
      errors: { move_opportunities_to: 'is not a stage of this pipeline' },
    });
    const field = { object: 'opportunity', name: 'X', slug: 'x', attribute_type: 'string', pipeline_ids: [unknownId] };
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
      ['POST', 'fields', { object: 'opportunity', name: 'X', slug: 'tier', attribute_type: 'string' }, 'slug', fieldId],
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
    expect((await send('PATCH', `stages/${stage('New')}`, { is_active: false }, 409)).body).toMatchObject({
      counts: { opportunities: 1 },
    });
    expect((await send('DELETE', `members/${organization.member.id}`, undefined, 409)).body).toMatchObject({
      counts: { opportunities: 1 },
    });
    const [first, second] = organization.otherPipeline.stages;
    await send('PATCH', `stages/${first?.id}`, { is_active: false });
    await send('PATCH', `stages/${second?.id}`, { is_active: false }, 409);
  });
});
