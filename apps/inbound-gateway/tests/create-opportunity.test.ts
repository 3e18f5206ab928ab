import { createOpportunity } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeEveryOperation } from './support/describe-every-operation.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { opportunitiesOf } from './support/opportunities.js';

let gateway: TestGateway;
const { create, stored } = opportunitiesOf(() => gateway);

beforeAll(async () => {
  gateway = await startTestGateway();
  const { defineField, otherPipeline } = gateway.organization;
  const options = [
    { label: 'Enterprise', value: 'enterprise', color: 'blue' },
    { label: 'Old', value: 'old', color: 'gray', archived: true },
  ];
  await defineField({ objectType: 'opportunity', slug: 'tier', attributeType: 'select', metadata: { options } });
  await defineField({ objectType: 'opportunity', slug: 'seats', attributeType: 'number' });
  await defineField({ objectType: 'opportunity', slug: 'team', attributeType: 'team_members' });
  const pipelineIds = [otherPipeline.id];
  await defineField({ objectType: 'opportunity', slug: 'partner', attributeType: 'string', pipelineIds });
});
afterAll(() => gateway.stop());

const dealIn = (pipelineId: string, opportunity: object) =>
  gateway.client.call(createOpportunity, { body: { pipeline_id: pipelineId, opportunity } });

describe('200', () => {
  test('creates a deal with its account and contacts in one call', async () => {
    const answer = await create(
      { name: 'Renewal', deal_size: 1250.75 },
      {
        account_domain: 'acme.com',
        primary_contact_email: 'ada@acme.com',
        additional_contact_emails: ['grace@other.com', 'bob@acme.com'],
      },
    );
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ success: true, statusCode: 200 });
    expect(answer.body.warnings).toBeUndefined();
    expect(answer.headers.get('x-record-status')).toBe('created');
    expect(answer.data).toEqual({ opportunity_id: expect.any(String), name: 'Renewal', amount: 1250.75 });
    expect(await stored('Renewal')).toMatchObject([
      {
        id: answer.data.opportunity_id,
        domain: 'acme.com',
        primary_email: 'ada@acme.com',
        additional_emails: ['grace@other.com', 'bob@acme.com'],
      },
    ]);
    const accounts = await gateway.rows(`SELECT domain, name FROM accounts WHERE organization_id = $1 ORDER BY domain`);
    expect(accounts).toEqual([
      { domain: 'acme.com', name: 'Acme' },
      { domain: 'other.com', name: 'Other' },
    ]);
  });

  test('creates a deal from a name alone, without amount, account, contacts and owner', async () => {
    const answer = await create({ name: 'Bare' });
    expect(answer.data.amount).toBeNull();
    const nothing = { account_id: null, contact_id: null, owner_id: null, amount: null, next_step: null };
    expect(await stored('Bare')).toMatchObject([{ ...nothing, close_date: null, additional_emails: [] }]);
  });

  test('treats null as absent everywhere except in the name', async () => {
    const nulls = { stage_id: null, deal_size: null, close_date: null, next_action_date: null, next_step: null };
    const related = {
      account_domain: null,
      primary_contact_email: null,
      additional_contact_emails: null,
      owner_email: null,
    };
    expect((await create({ name: 'Nulls', ...nulls, custom_fields: null }, related)).status).toBe(200);
    expect(await stored('Nulls')).toMatchObject([{ stage: 'Qualified', account_id: null }]);
  });

  test('stores every field', async () => {
    const { stages } = gateway.organization.pipeline;
    await create(
      {
        name: 'Full',
        stage_id: stages[2]?.id.toUpperCase(),
        deal_size: 0.0001,
        currency: 'EUR',
        close_date: 1798675200000,
        next_action_date: 253402300799999,
        next_step: 'Call\nback',
        custom__seats: 3.5,
        custom_fields: { tier: 'Enterprise', team: ['owner@team.example'] },
      },
      { owner_email: 'OWNER@team.example' },
    );
    expect(await stored('Full')).toMatchObject([
      {
        stage: 'Won',
        amount: '0.0001',
        currency: 'EUR',
        close_date: '1798675200000',
        next_action_date: '253402300799999',
        next_step: 'Call\nback',
        owner_email: 'owner@team.example',
        custom_fields: { seats: 3.5, tier: 'enterprise', team: [gateway.organization.member.id] },
      },
    ]);
  });

  test.each([0, -1, 999999999999999, -99999999999.9999, 1e3])('stores the deal size %d exactly', async (size) => {
    const answer = await create({ name: `Size ${size}`, deal_size: size });
    expect(answer.data.amount).toBe(size);
  });

  test('accepts next_steps as another name of next_step', async () => {
    await create({ name: 'Steps', next_steps: 'Call' });
    expect(await stored('Steps')).toMatchObject([{ next_step: 'Call' }]);
  });

  test('starts a deal without a stage in the default stage, or else in the first', async () => {
    await create({ name: 'Default stage' });
    expect(await stored('Default stage')).toMatchObject([{ stage: 'Qualified' }]);
    await dealIn(gateway.organization.otherPipeline.id, { name: 'First stage' });
    expect(await stored('First stage')).toMatchObject([{ stage: 'Open' }]);
  });

  test('makes an address that is sent as both kinds the primary contact, and lists each contact once', async () => {
    await create(
      { name: 'Both' },
      {
        primary_contact_email: 'Ann@both.com',
        additional_contact_emails: ['ann@BOTH.com', 'bob@both.com', 'BOB@both.com.'],
      },
    );
    expect(await stored('Both')).toMatchObject([
      { primary_email: 'ann@both.com', additional_emails: ['bob@both.com'] },
    ]);
  });

  test('takes the account of the primary contact if no account domain is sent', async () => {
    await create({ name: 'By contact' }, { primary_contact_email: 'ann@by-contact.com' });
    expect(await stored('By contact')).toMatchObject([{ domain: 'by-contact.com' }]);
    await create({ name: 'By both' }, { account_domain: 'company.com', primary_contact_email: 'ann@elsewhere.com' });
    expect(await stored('By both')).toMatchObject([{ domain: 'company.com', primary_email: 'ann@elsewhere.com' }]);
  });

  test('takes no account from a primary contact with free mail unless its domain is sent', async () => {
    await create({ name: 'Free' }, { primary_contact_email: 'ann@gmail.com' });
    expect(await stored('Free')).toMatchObject([{ account_id: null, primary_email: 'ann@gmail.com' }]);
    await create({ name: 'Free' }, { primary_contact_email: 'ann@gmail.com', account_domain: 'gmail.com' });
    expect(await stored('Free')).toMatchObject([{ account_id: null }, { domain: 'gmail.com' }]);
  });

  test('accepts a custom field of this pipeline', async () => {
    await dealIn(gateway.organization.otherPipeline.id, { name: 'Partner', custom__partner: 'Acme' });
    expect(await stored('Partner')).toMatchObject([{ custom_fields: { partner: 'Acme' } }]);
  });
});

describe('400', () => {
  test('refuses a pipeline id that is not a UUID', async () => {
    for (const id of ['x', '', '1', 'urn:uuid:00000000-0000-4000-8000-000000000000', 7, null]) {
      const body = { pipeline_id: id, opportunity: { name: 'x' } };
      const answer = await gateway.client.call(createOpportunity, { body });
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['pipeline_id']);
    }
  });

  test.each([
    ['no body keys', {}, ['opportunity', 'pipeline_id']],
    ['null for the deal', { opportunity: null }, ['opportunity', 'pipeline_id']],
  ])('refuses %s and names every missing key', async (_about, body, fields) => {
    expect((await gateway.client.call(createOpportunity, { body })).fieldsAtFault).toEqual(fields);
  });

  test.each([
    ['no name', {}, ['opportunity.name']],
    ['null for a name', { name: null }, ['opportunity.name']],
    ['a blank name', { name: ' \t' }, ['opportunity.name']],
    ['a name of 256 characters', { name: '😀'.repeat(256) }, ['opportunity.name']],
    ['a number for a name', { name: 1 }, ['opportunity.name']],
    ['a text for a deal size', { name: 'x', deal_size: '12' }, ['opportunity.deal_size']],
    ['five decimals', { name: 'x', deal_size: 0.00001 }, ['opportunity.deal_size']],
    ['sixteen digits', { name: 'x', deal_size: 1e15 }, ['opportunity.deal_size']],
    ['a currency in small letters', { name: 'x', currency: 'eur' }, ['opportunity.currency']],
    ['seconds for a close date', { name: 'x', close_date: 1798675200 }, ['opportunity.close_date']],
    ['seconds for a next action', { name: 'x', next_action_date: 1798675200 }, ['opportunity.next_action_date']],
    ['a date after the year 9999', { name: 'x', close_date: 253402300800000 }, ['opportunity.close_date']],
    ['half a millisecond', { name: 'x', close_date: 1798675200000.5 }, ['opportunity.close_date']],
    ['a text for a date', { name: 'x', close_date: '2026-12-31' }, ['opportunity.close_date']],
    ['a next step of 2,001 characters', { name: 'x', next_step: 'n'.repeat(2001) }, ['opportunity.next_step']],
    ['two different next steps', { name: 'x', next_step: 'a', next_steps: 'b' }, ['opportunity.next_steps']],
    ['an unknown key', { name: 'x', colour: 'red' }, ['opportunity.colour']],
    ['an unknown stage', { name: 'x', stage_id: '00000000-0000-4000-8000-000000000000' }, ['opportunity.stage_id']],
    ['a stage that is no uuid', { name: 'x', stage_id: 'Won' }, ['opportunity.stage_id']],
    ['an unknown custom field', { name: 'x', custom__nothing: 1 }, ['opportunity.custom__nothing']],
    ['a custom field of another pipeline', { name: 'x', custom__partner: 'A' }, ['opportunity.custom__partner']],
    [
      'a wrong type for a custom field',
      { name: 'x', custom_fields: { seats: '3' } },
      ['opportunity.custom_fields.seats'],
    ],
    ['an unknown option', { name: 'x', custom_fields: { tier: 'gold' } }, ['opportunity.custom_fields.tier']],
    ['an archived option', { name: 'x', custom__tier: 'old' }, ['opportunity.custom__tier']],
    ['an unknown team member', { name: 'x', custom__team: ['no@team.example'] }, ['opportunity.custom__team']],
  ])('refuses %s', async (_about, opportunity, fields) => {
    const answer = await create(opportunity);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault.map((field) => field.replace(/\[\d+\]$/, ''))).toEqual(fields);
  });

  test.each([
    ['a bad domain', { account_domain: 'localhost' }, ['related_objects.account_domain']],
    [
      'bad emails, each of which is named',
      { primary_contact_email: 'x', additional_contact_emails: ['a@b.com', 'y'], owner_email: 'z' },
      [
        'related_objects.additional_contact_emails[1]',
        'related_objects.owner_email',
        'related_objects.primary_contact_email',
      ],
    ],
    ['an owner who is no member', { owner_email: 'nobody@team.example' }, ['related_objects.owner_email']],
    [
      '101 contacts',
      { additional_contact_emails: Array.from({ length: 101 }, (_, i) => `a${i}@b.com`) },
      ['related_objects.additional_contact_emails'],
    ],
    ['an unknown key', { account: 'x' }, ['related_objects.account']],
  ])('refuses %s in related_objects', async (_about, related, fields) => {
    const answer = await create({ name: 'Refused' }, related);
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(fields);
  });

  test('answers a stage of another pipeline and one of another organization alike', async () => {
    const [other, foreign] = [gateway.organization.otherPipeline, gateway.stranger.pipeline].map(
      ({ stages }) => stages[0]?.id,
    );
    const [first, second] = [
      await create({ name: 'x', stage_id: other }),
      await create({ name: 'x', stage_id: foreign }),
    ];
    expect(first.fieldsAtFault).toEqual(['opportunity.stage_id']);
    expect(second.comparable).toBe(first.comparable);
  });

  test.each(['name', 'next_step'])('refuses U+0000 and lone surrogates in the %s', async (field) => {
    for (const text of ['a\\u0000b', '\\ud800', 'x\\udfff']) {
      const fields = field === 'name' ? `"name":"${text}"` : `"name":"x","${field}":"${text}"`;
      const rawBody = `{"pipeline_id":"${gateway.organization.pipeline.id}","opportunity":{${fields}}}`;
      const answer = await gateway.client.call(createOpportunity, { rawBody });
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual([`opportunity.${field}`]);
    }
  });

  test('writes nothing for a refused deal', async () => {
    await create(
      { name: 'Left behind', deal_size: 1e20 },
      { account_domain: 'left-behind.com', primary_contact_email: 'a@left-behind.com' },
    );
    expect(
      await gateway.rows(`SELECT FROM accounts WHERE organization_id = $1 AND domain = 'left-behind.com'`),
    ).toEqual([]);
    expect(await stored('Left behind')).toEqual([]);
  });
});

describe('404', () => {
  test('answers an unknown pipeline and one of another organization with the same bytes', async () => {
    const unknown = await dealIn('00000000-0000-4000-8000-000000000000', { name: 'x' });
    const foreign = await dealIn(gateway.stranger.pipeline.id, { name: 'x' });
    expect(unknown.status).toBe(404);
    expect(foreign.comparable).toBe(unknown.comparable);
  });
});

describeEveryOperation(
  createOpportunity,
  () => gateway,
  () => ({ pipeline_id: gateway.organization.pipeline.id, opportunity: { name: 'Every operation' } }),
);
