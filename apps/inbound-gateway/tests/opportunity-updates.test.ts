import { describe, expect, test } from '@jest/globals';
import { recordsOf, versionOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway(async ({ organization: { defineField, otherPipeline } }) => {
  await defineField({ objectType: 'opportunity', slug: 'seats', attributeType: 'number' });
  const pipelineIds = [otherPipeline.id];
  await defineField({ objectType: 'opportunity', slug: 'partner', attributeType: 'string', pipelineIds });
});
const { opportunity, changeOpportunity: change, row, countOf } = recordsOf(gateway);

const stageId = (label: string): string =>
  gateway().organization.pipeline.stages.find((stage) => stage.label === label)?.id ?? '';

describe('200', () => {
  test('answers the whole deal with the definitions of its pipeline', async () => {
    const id = await opportunity({ name: 'Whole' }, { primary_contact_email: 'ann@whole.com' });
    const dates = { close_date: 1798675200000, next_action_date: 1796083200000 };
    const fields = { amount: 1200.5, next_steps: 'Call', custom__seats: 3 };
    const answer = await change(id, {
      opportunity: { name: ' Whole 2 ', stage_id: stageId('Won').toUpperCase(), ...dates, ...fields },
      related_objects: { owner_email: 'OWNER@team.example' },
    });
    expect(answer.data.opportunity).toMatchObject({
      id,
      name: 'Whole 2',
      stage_id: stageId('Won'),
      stage_name: 'Won',
      amount: 1200.5,
      next_step: 'Call',
      ...dates,
      owner_email: 'owner@team.example',
      account_domain: 'whole.com',
      contact_email: 'ann@whole.com',
      pipeline_name: 'Sales',
      custom_fields: { seats: 3 },
      version: 2,
    });
    expect(Object.keys(answer.data.custom_field_definitions)).toEqual(['seats']);
    expect(versionOf(answer)).toBe(2);
  });

  test('keeps absent fields and clears fields that are null', async () => {
    const related = { account_domain: 'clears.com', primary_contact_email: 'ann@clears.com' };
    const fields = { name: 'Clears', deal_size: 5, next_step: 'Call', custom__seats: 2 };
    const id = await opportunity(fields, { ...related, owner_email: 'owner@team.example' });
    for (const body of [{}, { opportunity: {}, related_objects: {} }])
      expect(versionOf(await change(id, body))).toBe(1);
    const contacts = { primary_contact_email: null, additional_contact_emails: null };
    const answer = await change(id, {
      opportunity: { stage_id: null, deal_size: null, next_step: null, custom_fields: { seats: null } },
      related_objects: { owner_email: null, account_domain: null, ...contacts },
    });
    expect(answer.data.opportunity).toMatchObject({
      stage_id: null,
      amount: null,
      next_step: null,
      owner_id: null,
      account_id: null,
      contact_id: null,
      custom_fields: {},
      name: 'Clears',
    });
    expect(await row('opportunities', id)).toMatchObject({ account_key: '', normalized: {}, number_1: null });
  });
});

describe('409', () => {
  test('refuses an account or contact that already has a deal with the name', async () => {
    const holder = await opportunity({ name: 'One' }, { account_domain: 'first.com' });
    const id = await opportunity({ name: 'One' }, { account_domain: 'second.com' });
    const related_objects = { account_domain: 'first.com', primary_contact_email: 'x@stray.com' };
    const moved = await change(id, { related_objects });
    expect(moved.body.conflict).toEqual({ field: 'related_objects.account_domain', existing_id: holder });
    expect(await countOf(`accounts WHERE domain = 'stray.com'`)).toBe(0);
    const ann = { primary_contact_email: 'ann@gmail.com' };
    const annDeal = await opportunity({ name: 'One' }, ann);
    const bobDeal = await opportunity({ name: 'One' }, { primary_contact_email: 'bob@gmail.com' });
    const taken = await change(bobDeal, { related_objects: ann });
    expect(taken.body.conflict).toEqual({ field: 'related_objects.primary_contact_email', existing_id: annDeal });
  });
});
