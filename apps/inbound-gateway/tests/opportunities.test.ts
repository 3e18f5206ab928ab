import { createAccount, createContact, createNote, createOpportunity, updateOpportunity } from '@crm/contract';
import { describe, expect, test } from '@jest/globals';
import { recordsOf, statusOf, versionOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway(async ({ organization: { defineField, otherPipeline } }) => {
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
const { countOf, ...records } = recordsOf(gateway);

const createIn = (pipeline_id: string, opportunity: object, related_objects: object = {}) =>
  records.create(createOpportunity, { pipeline_id, opportunity, related_objects });
const create = (opportunity: object, related?: object) =>
  createIn(gateway().organization.pipeline.id, opportunity, related);

/** Every stored deal with a name, oldest first, with the natural keys of its related records. */
const stored = (name: string) =>
  gateway().rows(
    `SELECT o.*, s.label AS stage, m.email AS owner_email,
        (SELECT a.domain FROM accounts a WHERE a.organization_id = $1 AND a.id = o.account_id) AS domain,
        (SELECT c.email FROM contacts c WHERE c.organization_id = $1 AND c.id = o.contact_id) AS primary_email,
        ARRAY(SELECT c.email FROM opportunity_contacts l JOIN contacts c ON c.organization_id = $1 AND c.id = l.contact_id
               WHERE l.organization_id = $1 AND l.opportunity_id = o.id ORDER BY l.position) AS additional_emails
       FROM opportunities o
       LEFT JOIN stages s ON s.organization_id = $1 AND s.id = o.stage_id
       LEFT JOIN members m ON m.organization_id = $1 AND m.id = o.owner_id
      WHERE o.organization_id = $1 AND o.name = $2 ORDER BY o.created_at, o.id`,
    [name],
  );

const account = { account_domain: 'acme.com' };
const byEmail = (primary: string | null, ...additional: string[]) => ({
  ...account,
  primary_contact_email: primary,
  additional_contact_emails: additional,
});

describe('200 for every create', () => {
  test('answers the version and the ids of related records, also of a repeat, a change and a replay', async () => {
    const { client, organization } = gateway();
    const related_objects = { account_domain: 'sync.com', primary_contact_email: 'ada@sync.com' };
    const deal = { pipeline_id: organization.pipeline.id, opportunity: { name: 'Sync' }, related_objects };
    const account = (await client.call(createAccount, { body: { domain: 'sync.com' } })).data;
    const contact = (await client.call(createContact, { body: { email: 'ada@sync.com' } })).data;
    expect(account.account_id).toBe(account.company_id);
    expect([contact.contact_id, contact.account_id]).toEqual([contact.people_id, account.company_id]);
    const ids = { account_id: account.company_id, contact_id: contact.people_id };
    const changes = [
      [createAccount, { domain: 'sync.com' }, { industry: 'Steel' }, { account_id: ids.account_id }],
      [createContact, { email: 'ada@sync.com' }, { phone: '+14155550123' }, ids],
      [createOpportunity, deal, { opportunity: { name: 'Sync', next_step: 'Call' } }, ids],
    ] as const;
    for (const [contract, body, change, expected] of changes) {
      const headers = { 'idempotency-key': `sync-${contract.id}` };
      const first = await client.call<typeof createContact>(contract as typeof createContact, { body, headers });
      const changed = { body: { ...body, ...change }, query: { on_match: 'update' } };
      const second = await client.call<typeof createContact>(contract as typeof createContact, changed);
      const repeat = await client.call<typeof createContact>(contract as typeof createContact, { body });
      const replay = await client.call<typeof createContact>(contract as typeof createContact, { body, headers });
      const answers = [first, second, repeat, replay];
      expect(answers.map((answer) => answer.headers.get('x-record-version'))).toEqual(['1', '2', '2', '1']);
      expect(answers.map(versionOf)).toEqual([1, 2, 2, 1]);
      for (const { data } of answers) expect(data).toMatchObject(expected);
    }
    const without = (await client.call(createContact, { body: { email: 'x@no-deal.com' } })).data;
    const bare = (await create({ name: 'Sync without any' })).data;
    expect([without.account_id, bare.account_id, bare.contact_id]).toEqual([expect.any(String), null, null]);
    const unlinked = { opportunity_ids: [] };
    const on = { account_domains: ['sync.com'], contact_emails: ['ada@sync.com'] };
    const note = await client.call(createNote, { body: { note: { title: 'Sync' }, ...on } });
    expect([note.data, versionOf(note)]).toMatchObject([
      { account_ids: [ids.account_id], contact_ids: [ids.contact_id], ...unlinked },
      1,
    ]);
  });

  test('answers an ETag that the next update may name', async () => {
    const created = await create({ name: 'Sync and update' });
    const headers = { 'if-match': created.headers.get('etag') ?? '' };
    const change = {
      params: { id: created.data.opportunity_id },
      body: { opportunity: { next_step: 'Call' } },
      headers,
    };
    expect((await gateway().client.call(updateOpportunity, change)).status).toBe(200);
    expect((await gateway().client.call(updateOpportunity, change)).status).toBe(412);
  });
});

describe('200 for a new deal', () => {
  test('creates it with its account and contacts in one call', async () => {
    const related = byEmail('ada@acme.com', 'grace@other.com', 'bob@acme.com');
    const answer = await create({ name: 'Renewal', deal_size: 1250.75 }, related);
    expect([answer.status, statusOf(answer), answer.body.warnings]).toEqual([200, 'created', undefined]);
    const ids = { account_id: expect.any(String), contact_id: expect.any(String) };
    expect(answer.data).toEqual({ opportunity_id: expect.any(String), name: 'Renewal', amount: 1250.75, ...ids });
    const emails = { primary_email: 'ada@acme.com', additional_emails: ['grace@other.com', 'bob@acme.com'] };
    const deal = { id: answer.data.opportunity_id, domain: 'acme.com', stage: 'Qualified', ...emails };
    expect(await stored('Renewal')).toMatchObject([deal]);
    expect(await countOf(`accounts WHERE domain = 'other.com' AND name = 'Other'`)).toBe(1);
  });

  test('creates it from a name alone, without amount, account, contacts and owner', async () => {
    expect((await create({ name: 'Bare' })).data.amount).toBeNull();
    const nothing = { account_id: null, contact_id: null, owner_id: null, amount: null, next_step: null };
    expect(await stored('Bare')).toMatchObject([{ ...nothing, close_date: null, additional_emails: [] }]);
  });

  test('stores every field', async () => {
    const { pipeline, member } = gateway().organization;
    const same = { currency: 'EUR', next_step: 'Call\nback' };
    const dates = { close_date: 1798675200000, next_action_date: 253402300799999 };
    const custom = { custom__seats: 3.5, custom_fields: { tier: 'Enterprise', team: ['owner@team.example'] } };
    const fields = { ...same, ...dates, ...custom, stage_id: pipeline.stages[2]?.id.toUpperCase(), deal_size: 0.0001 };
    await create({ name: 'Full', ...fields }, { owner_email: 'OWNER@team.example' });
    expect(await stored('Full')).toMatchObject([
      {
        ...same,
        stage: 'Won',
        amount: '0.0001',
        owner_email: 'owner@team.example',
        close_date: '1798675200000',
        next_action_date: '253402300799999',
        custom_fields: { seats: 3.5, tier: 'enterprise', team: [member.id] },
      },
    ]);
  });

  test('accepts `amount` for `deal_size`, and dates as days or date-times', async () => {
    const dates = { close_date: '2026-12-31', next_action_date: '2026-12-31T01:00:00+01:00' };
    const answer = await create({ name: 'Spelled', amount: 5.5, deal_size: 5.5, ...dates });
    expect(answer.data.amount).toBe(5.5);
    const midnight = String(Date.UTC(2026, 11, 31));
    expect(await stored('Spelled')).toMatchObject([{ close_date: midnight, next_action_date: midnight }]);
    const unchanged = { close_date: Date.UTC(2026, 11, 31), amount: 5.5, deal_size: null };
    expect((await create({ name: 'Spelled', ...unchanged })).body.warnings).toBeUndefined();
  });

  test('starts it in the first stage if the pipeline has no default stage', async () => {
    await createIn(gateway().organization.otherPipeline.id, { name: 'First stage' });
    expect(await stored('First stage')).toMatchObject([{ stage: 'Open' }]);
  });

  test.each([
    ['takes the account of the primary contact', { primary_contact_email: 'ann@by-contact.com' }, 'by-contact.com'],
    ['prefers the account that is sent', byEmail('ann@elsewhere.com'), 'acme.com'],
    ['takes no account from a contact with free mail', { primary_contact_email: 'ann@gmail.com' }, null],
    ['unless its domain is sent', { ...byEmail('ann@gmail.com'), account_domain: 'gmail.com' }, 'gmail.com'],
  ])('%s', async (name, related, domain) => {
    await create({ name }, related);
    expect(await stored(name)).toMatchObject([{ domain, primary_email: related.primary_contact_email }]);
  });
});

describe('200 for a deal that exists', () => {
  test('finds it by account, pipeline and name', async () => {
    const first = await create({ name: 'Same', deal_size: 10 }, account);
    for (const [opportunity, related] of [
      [{ name: 'Same', deal_size: 10 }, account],
      [{ name: ' Same\n' }, { account_domain: 'https://WWW.ACME.com./x' }],
      [{ name: 'Same' }, byEmail(null)],
    ] as const) {
      const answer = await create(opportunity, related);
      expect([answer.data, statusOf(answer), answer.body.warnings]).toEqual([first.data, 'matched', undefined]);
    }
    expect(await stored('Same')).toMatchObject([{ version: 1 }]);
  });

  test('treats composed and decomposed letters as the same name; case, account and pipeline tell deals apart', async () => {
    const { data } = await create({ name: 'Café' }, account);
    expect((await create({ name: 'Cafe\u0301' }, account)).data).toEqual(data);
    const others = [
      await create({ name: 'CAFÉ' }, account),
      await create({ name: 'Café' }, { account_domain: 'shop.acme.com' }),
      await create({ name: 'Café' }),
      await createIn(gateway().organization.otherPipeline.id, { name: 'Café' }, account),
    ];
    expect(new Set([data, ...others.map((one) => one.data)].map((one) => one.opportunity_id)).size).toBe(5);
  });

  test('keeps the other stored values and warns about every different one', async () => {
    const { stages } = gateway().organization.pipeline;
    const first = { name: 'Kept', deal_size: 10, close_date: 1798675200000, custom__seats: 1, next_step: 'Call' };
    const { data } = await create({ ...first, stage_id: stages[0]?.id }, account);
    const dates = { close_date: 1798675200001, next_action_date: 1798675200000 };
    const others = { stage_id: stages[1]?.id, deal_size: 20, next_step: 'Mail', custom_fields: { seats: 2 } };
    const owned = { ...account, owner_email: 'owner@team.example' };
    const answer = await create({ name: 'Kept', ...dates, ...others }, owned);
    expect([answer.data, statusOf(answer)]).toEqual([data, 'matched']);
    const fields = ['close_date', 'custom__seats', 'deal_size', 'next_action_date', 'next_step', 'stage_id'];
    const warned = [...fields.map((field) => `opportunity.${field}`), 'related_objects.owner_email'];
    expect([...answer.fieldsWarnedOf].sort()).toEqual(warned);
    expect(await stored('Kept')).toMatchObject([{ amount: '10.0000', stage: 'New', owner_id: null, version: 1 }]);
    expect((await create(first, account)).body.warnings).toBeUndefined();
  });

  test('keeps all of its contacts, or with on_match=update gets those that are sent, in their order', async () => {
    const emails = async (onMatch: string, related: object) => {
      const body = { pipeline_id: gateway().organization.pipeline.id, opportunity: { name: 'Contacts' } };
      await records.create(createOpportunity, { ...body, related_objects: related }, { on_match: onMatch });
      const [deal] = await stored('Contacts');
      return [deal?.['primary_email'], deal?.['additional_emails']];
    };
    expect(await emails('keep', byEmail('a@acme.com', 'b@acme.com', 'c@acme.com'))).toEqual([
      'a@acme.com',
      ['b@acme.com', 'c@acme.com'],
    ]);
    expect(await emails('keep', byEmail('d@acme.com', 'c@acme.com', 'e@acme.com'))).toEqual([
      'd@acme.com',
      ['b@acme.com', 'c@acme.com', 'a@acme.com', 'e@acme.com'],
    ]);
    expect(await emails('update', byEmail('b@acme.com', 'e@acme.com', 'c@acme.com'))).toEqual([
      'b@acme.com',
      ['e@acme.com', 'c@acme.com'],
    ]);
  });
});

describe('400 and 404', () => {
  test.each<[string, object, string[]]>([
    [
      'bad domains and emails, each of which is named',
      {
        account_domain: 'localhost',
        primary_contact_email: 'x',
        additional_contact_emails: ['a@left-behind.com', 'y'],
      },
      ['account_domain', 'additional_contact_emails[1]', 'primary_contact_email'],
    ],
    ['an owner who is no member', { ...byEmail('a@left-behind.com'), owner_email: 'no@team.example' }, ['owner_email']],
    [
      '101 contacts',
      { additional_contact_emails: Array.from({ length: 101 }, (_, i) => `a${i}@left-behind.com`) },
      ['additional_contact_emails'],
    ],
  ])('refuses %s in related_objects and writes nothing', async (_about, related, fields) => {
    const answer = await create({ name: 'Refused' }, related);
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, fields.map((field) => `related_objects.${field}`)]);
    expect(await countOf(`contacts WHERE email LIKE '%@left-behind.com'`)).toBe(0);
    expect(await stored('Refused')).toEqual([]);
  });

  test('refuses the 101st additional contact of a deal and changes nothing', async () => {
    const hundred = Array.from({ length: 100 }, (_, i) => `p${String(i).padStart(3, '0')}@acme.com`);
    await create({ name: 'Crowded' }, byEmail('a@acme.com', ...hundred));
    for (const related of [byEmail(null, 'one-more@acme.com'), byEmail('new-primary@acme.com')]) {
      const answer = await create({ name: 'Crowded' }, related);
      expect([answer.status, answer.fieldsAtFault]).toEqual([400, ['related_objects.additional_contact_emails']]);
    }
    const emails = { primary_email: 'a@acme.com', additional_emails: hundred };
    expect(await stored('Crowded')).toMatchObject([{ version: 1, ...emails }]);
    expect(await countOf(`contacts WHERE email = 'one-more@acme.com'`)).toBe(0);
  });
});
