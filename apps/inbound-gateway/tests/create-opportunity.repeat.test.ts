import { createOpportunity } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { opportunitiesOf } from './support/opportunities.js';

let gateway: TestGateway;
const { create, stored } = opportunitiesOf(() => gateway);

beforeAll(async () => {
  gateway = await startTestGateway();
  await gateway.organization.defineField({ objectType: 'opportunity', slug: 'seats', attributeType: 'number' });
});
afterAll(() => gateway.stop());

const account = { account_domain: 'acme.com' };

describe('200 for a deal that exists', () => {
  test('finds a deal by account, pipeline and name', async () => {
    const first = await create({ name: 'Same', deal_size: 10 }, account);
    const repeats = [
      [{ name: 'Same', deal_size: 10 }, account],
      [{ name: ' Same\n' }, { account_domain: 'https://WWW.ACME.com./x' }],
      [{ name: 'Same' }, { ...account, primary_contact_email: null, additional_contact_emails: [] }],
    ] as const;
    for (const [opportunity, related] of repeats) {
      const answer = await create(opportunity, related);
      expect(answer.data).toEqual(first.data);
      expect(answer.body).toMatchObject({ success: true, statusCode: 200 });
      expect(answer.headers.get('x-record-status')).toBe('matched');
      expect(answer.body.warnings).toBeUndefined();
    }
    expect(await stored('Same')).toMatchObject([{ version: 1 }]);
  });

  test('treats composed and decomposed letters as the same name; case and account tell deals apart', async () => {
    const { data } = await create({ name: 'Café' }, account);
    expect((await create({ name: 'Cafe\u0301' }, account)).data).toEqual(data);
    const others = [
      await create({ name: 'CAFÉ' }, account),
      await create({ name: 'Café' }, { account_domain: 'shop.acme.com' }),
      await create({ name: 'Café' }),
    ];
    const body = {
      pipeline_id: gateway.organization.otherPipeline.id,
      opportunity: { name: 'Café' },
      related_objects: account,
    };
    others.push(await gateway.client.call(createOpportunity, { body }));
    expect(new Set([data, ...others.map((one) => one.data)].map((one) => one.opportunity_id)).size).toBe(5);
  });

  test('finds the deal of an account by the domain of its primary contact', async () => {
    const { data } = await create({ name: 'Found' }, { account_domain: 'found.com' });
    const answer = await create({ name: 'Found' }, { primary_contact_email: 'ann@found.com' });
    expect(answer.data).toEqual(data);
    expect(answer.headers.get('x-record-status')).toBe('updated');
  });

  test('keeps the deals of two people at a mail provider apart although they have the same name', async () => {
    const [ann, bob] = [{ primary_contact_email: 'ann@gmail.com' }, { primary_contact_email: 'bob@gmail.com' }];
    const [first, second] = [await create({ name: 'Website' }, ann), await create({ name: 'Website' }, bob)];
    expect(second.data.opportunity_id).not.toBe(first.data.opportunity_id);
    expect((await create({ name: 'Website' }, { primary_contact_email: 'ANN@gmail.com' })).data).toEqual(first.data);
  });
});

describe('200 with other contacts', () => {
  const byEmail = (primary: string | null, ...additional: string[]) => ({
    ...account,
    primary_contact_email: primary,
    additional_contact_emails: additional,
  });

  test('replaces the primary contact; the old one becomes an additional contact', async () => {
    const { data } = await create({ name: 'Replace' }, byEmail('a@acme.com', 'b@acme.com'));
    const answer = await create({ name: 'Replace' }, byEmail('c@acme.com'));
    expect(answer.data).toEqual(data);
    expect(answer.headers.get('x-record-status')).toBe('updated');
    expect(answer.body.warnings).toBeUndefined();
    expect(await stored('Replace')).toMatchObject([
      { version: 2, primary_email: 'c@acme.com', additional_emails: ['b@acme.com', 'a@acme.com'] },
    ]);
  });

  test('adds additional contacts and removes none', async () => {
    await create({ name: 'Add' }, byEmail('a@acme.com', 'b@acme.com'));
    await create({ name: 'Add' }, byEmail(null, 'c@acme.com'));
    await create({ name: 'Add' }, byEmail(null));
    expect(await stored('Add')).toMatchObject([
      { version: 2, primary_email: 'a@acme.com', additional_emails: ['b@acme.com', 'c@acme.com'] },
    ]);
  });

  test('never lists the primary contact as an additional one', async () => {
    await create({ name: 'Swap' }, byEmail('a@acme.com', 'b@acme.com'));
    await create({ name: 'Swap' }, byEmail('b@acme.com', 'b@acme.com'));
    expect(await stored('Swap')).toMatchObject([{ primary_email: 'b@acme.com', additional_emails: ['a@acme.com'] }]);
    await create({ name: 'Swap' }, byEmail(null, 'b@acme.com'));
    expect(await stored('Swap')).toMatchObject([{ primary_email: 'b@acme.com', additional_emails: ['a@acme.com'] }]);
    await create({ name: 'Swap' }, byEmail('a@acme.com'));
    expect(await stored('Swap')).toMatchObject([{ primary_email: 'a@acme.com', additional_emails: ['b@acme.com'] }]);
  });

  test('refuses the 101st additional contact of a deal and changes nothing', async () => {
    const hundred = Array.from({ length: 100 }, (_, i) => `p${String(i).padStart(3, '0')}@acme.com`);
    await create({ name: 'Full' }, byEmail('a@acme.com', ...hundred));
    for (const related of [byEmail(null, 'one-more@acme.com'), byEmail('new-primary@acme.com')]) {
      const answer = await create({ name: 'Full' }, related);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual(['related_objects.additional_contact_emails']);
    }
    expect(await stored('Full')).toMatchObject([
      { version: 1, primary_email: 'a@acme.com', additional_emails: hundred },
    ]);
    const rows = await gateway.rows(`SELECT FROM contacts WHERE organization_id = $1 AND email = 'one-more@acme.com'`);
    expect(rows).toEqual([]);
  });
});

describe('200 with other fields', () => {
  test('keeps the stored values and warns about every different one', async () => {
    const { stages } = gateway.organization.pipeline;
    const first = { name: 'Kept', stage_id: stages[0]?.id, deal_size: 10, close_date: 1798675200000, custom__seats: 1 };
    const { data } = await create({ ...first, next_step: 'Call' }, account);
    const answer = await create(
      {
        name: 'Kept',
        stage_id: stages[1]?.id,
        deal_size: 20,
        close_date: 1798675200001,
        next_action_date: 1798675200000,
        next_step: 'Mail',
        custom_fields: { seats: 2 },
      },
      { ...account, owner_email: 'owner@team.example' },
    );
    expect(answer.data).toEqual(data);
    expect(answer.headers.get('x-record-status')).toBe('matched');
    expect([...answer.fieldsWarnedOf].sort()).toEqual([
      'opportunity.close_date',
      'opportunity.custom__seats',
      'opportunity.deal_size',
      'opportunity.next_action_date',
      'opportunity.next_step',
      'opportunity.stage_id',
      'related_objects.owner_email',
    ]);
    expect(await stored('Kept')).toMatchObject([{ amount: '10.0000', stage: 'New', owner_id: null, version: 1 }]);
  });

  test('warns about neither equal values nor a stage that was not sent', async () => {
    const deal = { name: 'Equal', deal_size: 10.5, close_date: 1798675200000, next_step: 'Call', custom__seats: 1 };
    await create(
      { ...deal, stage_id: gateway.organization.pipeline.stages[2]?.id },
      { ...account, owner_email: 'owner@team.example' },
    );
    const answer = await create(deal, { ...account, owner_email: 'Owner@team.example' });
    expect(answer.body.warnings).toBeUndefined();
  });
});

describe('two organizations', () => {
  test('each have their own deal for the same key, with its own account and contacts', async () => {
    const related = { ...account, primary_contact_email: 'ann@acme.com', additional_contact_emails: ['bob@acme.com'] };
    const ours = await create({ name: 'Shared', deal_size: 1 }, related);
    const { stranger } = gateway;
    const theirs = await gateway.clientOf(stranger).call(createOpportunity, {
      body: { pipeline_id: stranger.pipeline.id, opportunity: { name: 'Shared' }, related_objects: related },
    });
    expect(theirs.headers.get('x-record-status')).toBe('created');
    expect(theirs.data).toMatchObject({ name: 'Shared', amount: null });
    const rowsOf = (id: string) =>
      gateway.database.query<{ ids: string[] }>(id, {
        text: `SELECT ARRAY[id, account_id, contact_id] AS ids FROM opportunities WHERE organization_id = $1 AND name = 'Shared'`,
        values: [],
      });
    const rows = [...(await rowsOf(gateway.organization.id)), ...(await rowsOf(stranger.id))];
    expect(new Set(rows.flatMap((row) => row.ids)).size).toBe(6);
    expect((await create({ name: 'Shared', deal_size: 1 }, related)).data).toEqual(ours.data);
  });

  test('do not know each other’s members, stages and custom fields', async () => {
    const foreign = await gateway.createOrganization();
    await foreign.defineField({ objectType: 'opportunity', slug: 'theirs', attributeType: 'team_members' });
    const unknown = await create({ name: 'x', custom__theirs: [foreign.member.id] });
    expect(unknown.fieldsAtFault).toEqual(['opportunity.custom__theirs']);
    await gateway.organization.defineField({ objectType: 'opportunity', slug: 'team', attributeType: 'team_members' });
    const member = await create({ name: 'x', custom__team: [foreign.member.id] });
    expect(member.fieldsAtFault.map((field) => field.replace(/\[\d+\]$/, ''))).toEqual(['opportunity.custom__team']);
  });
});
