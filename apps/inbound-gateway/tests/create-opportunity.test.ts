import { createOpportunity } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
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
});

describe('400', () => {
  test('names every missing key, and refuses a pipeline id that is not a UUID', async () => {
    const send = (body: object) => gateway.client.call(createOpportunity, { body });
    expect((await send({})).fieldsAtFault).toEqual(['opportunity', 'pipeline_id']);
    expect((await send({ pipeline_id: 'x', opportunity: { name: 'x' } })).fieldsAtFault).toEqual(['pipeline_id']);
  });

  test.each<[string, object, string]>([
    ['null for a name', { name: null }, 'name'],
    ['a blank name', { name: ' \t' }, 'name'],
    ['a name of 256 characters', { name: '😀'.repeat(256) }, 'name'],
    ['U+0000 in a name', { name: 'a\u0000b' }, 'name'],
    ['a text for a deal size', { deal_size: '12' }, 'deal_size'],
    ['five decimals', { deal_size: 0.00001 }, 'deal_size'],
    ['sixteen digits', { deal_size: 1e15 }, 'deal_size'],
    ['a currency in small letters', { currency: 'eur' }, 'currency'],
    ['seconds for a close date', { close_date: 1798675200 }, 'close_date'],
    ['seconds for a next action', { next_action_date: 1798675200 }, 'next_action_date'],
    ['a next step of 2,001 characters', { next_step: 'n'.repeat(2001) }, 'next_step'],
    ['two different next steps', { next_step: 'a', next_steps: 'b' }, 'next_steps'],
    ['an unknown key', { colour: 'red' }, 'colour'],
    ['an unknown stage', { stage_id: '00000000-0000-4000-8000-000000000000' }, 'stage_id'],
    ['a custom field of another pipeline', { custom__partner: 'A' }, 'custom__partner'],
    ['a wrong type for a custom field', { custom_fields: { seats: '3' } }, 'custom_fields.seats'],
    ['an archived option', { custom__tier: 'old' }, 'custom__tier'],
    ['an unknown team member', { custom__team: ['no@team.example'] }, 'custom__team'],
  ])('refuses %s', async (_about, opportunity, field) => {
    const answer = await create({ name: 'x', ...opportunity });
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, [`opportunity.${field}`]]);
  });

  test.each<[string, object, string[]]>([
    [
      'bad domains and emails, each of which is named',
      { account_domain: 'localhost', primary_contact_email: 'x', additional_contact_emails: ['a@b.com', 'y'] },
      ['account_domain', 'additional_contact_emails[1]', 'primary_contact_email'],
    ],
    ['an owner who is no member', { owner_email: 'nobody@team.example' }, ['owner_email']],
    [
      '101 contacts',
      { additional_contact_emails: Array.from({ length: 101 }, (_, i) => `a${i}@b.com`) },
      ['additional_contact_emails'],
    ],
  ])('refuses %s in related_objects', async (_about, related, fields) => {
    const answer = await create({ name: 'Refused' }, related);
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, fields.map((field) => `related_objects.${field}`)]);
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
