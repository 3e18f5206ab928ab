import { type OpportunityDetail } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf, unknownId, versionOf } from './support/records-of.js';

let gateway: TestGateway;
const { opportunity, changeOpportunity: change } = recordsOf(() => gateway);

beforeAll(async () => {
  gateway = await startTestGateway();
  const { defineField, otherPipeline } = gateway.organization;
  await defineField({ objectType: 'opportunity', slug: 'seats', attributeType: 'number' });
  const pipelineIds = [otherPipeline.id];
  await defineField({ objectType: 'opportunity', slug: 'partner', attributeType: 'string', pipelineIds });
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

const stageId = (label: string): string =>
  gateway.organization.pipeline.stages.find((stage) => stage.label === label)?.id ?? '';
const additionalOf = ({ opportunity: record }: OpportunityDetail) =>
  record.additional_contacts.map(({ contact_email: email }) => email);
const stored = async (id: string) =>
  (await gateway.rows('SELECT * FROM opportunities WHERE organization_id = $1 AND id = $2', [id]))[0];

describe('200', () => {
  test('answers the whole deal with the definitions of its pipeline', async () => {
    const id = await opportunity({ name: 'Whole' }, { primary_contact_email: 'ann@whole.com' });
    const answer = await change(id, {
      opportunity: {
        name: ' Whole 2 ',
        stage_id: stageId('Won').toUpperCase(),
        deal_size: 1200.5,
        close_date: 1798675200000,
        next_action_date: 1796083200000,
        next_steps: 'Call',
        custom__seats: 3,
      },
      related_objects: { owner_email: 'OWNER@team.example' },
    });
    expect(answer.data.opportunity).toMatchObject({
      id,
      name: 'Whole 2',
      stage_id: stageId('Won'),
      stage_name: 'Won',
      amount: 1200.5,
      close_date: 1798675200000,
      next_action_date: 1796083200000,
      next_step: 'Call',
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
    const related = {
      account_domain: 'clears.com',
      primary_contact_email: 'ann@clears.com',
      owner_email: 'owner@team.example',
    };
    const id = await opportunity({ name: 'Clears', deal_size: 5, next_step: 'Call', custom__seats: 2 }, related);
    expect(versionOf(await change(id, {}))).toBe(1);
    expect(versionOf(await change(id, { opportunity: {}, related_objects: {} }))).toBe(1);
    const opportunityBody = { stage_id: null, deal_size: null, next_step: null, custom_fields: { seats: null } };
    const answer = await change(id, {
      opportunity: opportunityBody,
      related_objects: {
        owner_email: null,
        account_domain: null,
        primary_contact_email: null,
        additional_contact_emails: null,
      },
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
    expect(await stored(id)).toMatchObject({ account_key: '', normalized: {}, number_1: null });
  });

  test('replaces the list of contacts, keeps its order and leaves out the primary contact', async () => {
    const id = await opportunity(
      { name: 'Contacts' },
      { primary_contact_email: 'p@list.com', additional_contact_emails: ['a@list.com', 'b@list.com'] },
    );
    const replace = (related: object) => change(id, { related_objects: related });
    const emails = ['c@list.com', 'p@list.com', 'a@list.com', 'c@list.com'];
    expect(additionalOf((await replace({ additional_contact_emails: emails })).data)).toEqual([
      'c@list.com',
      'a@list.com',
    ]);
    expect(additionalOf((await replace({ additional_contact_emails: ['a@list.com', 'c@list.com'] })).data)).toEqual([
      'a@list.com',
      'c@list.com',
    ]);
    const promoted = await replace({ primary_contact_email: 'a@list.com' });
    expect(promoted.data.opportunity).toMatchObject({ contact_email: 'a@list.com' });
    expect(additionalOf(promoted.data)).toEqual(['c@list.com']);
    expect(additionalOf((await replace({ additional_contact_emails: [] })).data)).toEqual([]);
  });

  test('creates a new account if it is missing and finds the deal by it', async () => {
    const id = await opportunity({ name: 'Moves' }, { account_domain: 'from.com' });
    const answer = await change(id, { related_objects: { account_domain: 'www.to-new.com' } });
    expect(answer.data.opportunity).toMatchObject({ account_domain: 'to-new.com', account_name: 'To-new' });
    expect(await opportunity({ name: 'Moves' }, { account_domain: 'to-new.com' })).toBe(id);
  });

  test('changes nothing for equal values', async () => {
    const related = {
      account_domain: 'same.com',
      primary_contact_email: 'p@same.com',
      additional_contact_emails: ['a@same.com'],
    };
    const id = await opportunity({ name: 'Same', deal_size: 48000.25, custom__seats: 4 }, related);
    const before = await stored(id);
    const bodies = [
      { opportunity: { name: ' Same', deal_size: 48000.25, custom__seats: 4, stage_id: stageId('Qualified') } },
      { related_objects: related },
      { related_objects: { additional_contact_emails: ['p@same.com', 'A@SAME.com'] } },
    ];
    for (const body of bodies) expect(versionOf(await change(id, body))).toBe(1);
    expect(await stored(id)).toEqual(before);
  });
});

describe('400', () => {
  test.each([
    [{ pipeline_id: unknownId }, 'pipeline_id'],
    [{ opportunity: { name: null } }, 'opportunity.name'],
    [{ opportunity: { amount: 1 } }, 'opportunity.amount'],
  ])('refuses %j', async (body, field) => {
    const answer = await change(await opportunity({ name: 'Refused' }), body);
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, [field]]);
  });

  test('names every invalid field by its dotted path and changes nothing', async () => {
    const id = await opportunity({ name: 'Faults' });
    const answer = await change(id, {
      opportunity: {
        name: ' ',
        stage_id: gateway.organization.otherPipeline.stages[0]?.id,
        close_date: 1798675200,
        custom__partner: 'x',
        custom_fields: { seats: '4' },
      },
      related_objects: { owner_email: 'nobody@team.example', additional_contact_emails: ['a@b.com', 'x'] },
    });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual([
      'opportunity.close_date',
      'opportunity.custom__partner',
      'opportunity.custom_fields.seats',
      'opportunity.name',
      'opportunity.stage_id',
      'related_objects.additional_contact_emails[1]',
      'related_objects.owner_email',
    ]);
    expect(await stored(id)).toMatchObject({ version: 1, name: 'Faults' });
  });
});

describe('404, 409 and 412', () => {
  test('applies only changes whose If-Match names the current version', async () => {
    const id = await opportunity({ name: 'Version' });
    expect((await change(id, { opportunity: { deal_size: 1 } }, { 'if-match': '"2"' })).status).toBe(412);
  });

  test('refuses an account or contact that already has a deal with the name', async () => {
    const holder = await opportunity({ name: 'One' }, { account_domain: 'first.com' });
    const id = await opportunity({ name: 'One' }, { account_domain: 'second.com' });
    const moved = await change(id, {
      related_objects: { account_domain: 'first.com', primary_contact_email: 'x@stray.com' },
    });
    expect(moved.body).toMatchObject({ conflict: { field: 'related_objects.account_domain', existing_id: holder } });
    expect(await gateway.rows(`SELECT 1 FROM accounts WHERE organization_id = $1 AND domain = 'stray.com'`)).toEqual(
      [],
    );
    const annDeal = await opportunity({ name: 'One' }, { primary_contact_email: 'ann@gmail.com' });
    const bobDeal = await opportunity({ name: 'One' }, { primary_contact_email: 'bob@gmail.com' });
    const taken = await change(bobDeal, { related_objects: { primary_contact_email: 'ann@gmail.com' } });
    expect(taken.body).toMatchObject({
      conflict: { field: 'related_objects.primary_contact_email', existing_id: annDeal },
    });
  });
});
