import { createAccount, createContact, createOpportunity, type OperationContract } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { expectConsistent } from './support/expect-consistent.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  for (const objectType of ['account', 'contact', 'opportunity'] as const)
    await gateway.organization.defineField({ objectType, slug: 'score', attributeType: 'number' });
});
afterAll(async () => {
  await expectConsistent(gateway);
  await gateway.stop();
});

const send = <C extends OperationContract>(contract: C, body: object, onMatch?: string) =>
  gateway.client.call(contract, { body, ...(onMatch !== undefined && { query: { on_match: onMatch } }) });
const statusOf = ({ headers }: { readonly headers: Headers }) => headers.get('x-record-status');
const stored = async (table: string, id: string) =>
  (await gateway.rows(`SELECT * FROM ${table} WHERE organization_id = $1 AND id = $2`, [id]))[0];
const deal = (opportunity: object, related: object = { account_domain: 'deal.com' }) => ({
  pipeline_id: gateway.organization.pipeline.id,
  opportunity: { name: 'Deal', ...opportunity },
  related_objects: related,
});

describe('on_match=update', () => {
  test('sets the fields that are sent on the account and keeps the others', async () => {
    const body = { domain: 'account.com', industry: 'Steel', description: 'Old', custom__score: 1 };
    const { data } = await send(createAccount, body);
    const changes = {
      domain: 'ACCOUNT.com',
      name: 'Account Ltd',
      description: 'New',
      industry: null,
      custom__score: 2,
    };
    const answer = await send(createAccount, changes, 'update');
    expect(statusOf(answer)).toBe('updated');
    expect(answer.data).toEqual({ company_id: data.company_id, domain: 'account.com', name: 'Account Ltd' });
    expect(answer.body.warnings).toBeUndefined();
    expect(await stored('accounts', data.company_id)).toMatchObject({
      industry: 'Steel',
      description: 'New',
      custom_fields: { score: 2 },
      number_1: 2,
      version: 2,
    });
  });

  test('overwrites the names of the contact', async () => {
    const { data } = await send(createContact, { email: 'ann@contact.com', first_name: 'Ann', job_title: 'CEO' });
    const answer = await send(
      createContact,
      { email: 'ann@contact.com', first_name: 'Anna', last_name: 'Lee' },
      'update',
    );
    expect(statusOf(answer)).toBe('updated');
    expect(answer.data).toMatchObject({ people_id: data.people_id, first_name: 'Anna', last_name: 'Lee' });
    expect(await stored('contacts', data.people_id)).toMatchObject({ job_title: 'CEO', normalized_name: 'anna lee' });
  });

  test('sets the fields that are sent on the opportunity and replaces a list of contacts', async () => {
    const related = {
      account_domain: 'deal.com',
      primary_contact_email: 'p@deal.com',
      additional_contact_emails: ['a@deal.com', 'b@deal.com'],
    };
    const { data } = await send(
      createOpportunity,
      deal({ deal_size: 1, next_step: 'Call', custom__score: 1 }, related),
    );
    const changes = deal(
      { deal_size: 2, stage_id: gateway.organization.pipeline.stages[2]?.id, custom__score: 3 },
      { account_domain: 'deal.com', additional_contact_emails: ['c@deal.com'], owner_email: 'owner@team.example' },
    );
    const answer = await send(createOpportunity, changes, 'update');
    expect(statusOf(answer)).toBe('updated');
    expect(answer.data).toEqual({ opportunity_id: data.opportunity_id, name: 'Deal', amount: 2 });
    expect(answer.body.warnings).toBeUndefined();
    const row = await stored('opportunities', data.opportunity_id);
    expect(row).toMatchObject({ next_step: 'Call', custom_fields: { score: 3 }, number_1: 3, version: 2 });
    expect(JSON.parse(String(row?.['record']))).toMatchObject({
      stage_name: 'Won',
      additional_contacts: [{ contact_email: 'c@deal.com' }],
    });
  });

  test('keeps the stage of a deal if none is sent', async () => {
    const stageId = gateway.organization.pipeline.stages[2]?.id;
    const { data } = await send(createOpportunity, deal({ name: 'Stays', stage_id: stageId }));
    expect(statusOf(await send(createOpportunity, deal({ name: 'Stays' }), 'update'))).toBe('matched');
    expect(await stored('opportunities', data.opportunity_id)).toMatchObject({ stage_id: stageId, version: 1 });
  });

  test('answers matched and keeps the version if nothing changes', async () => {
    const bodies: readonly (readonly [OperationContract, object])[] = [
      [createAccount, { domain: 'calm.com', name: 'Calm', custom__score: 1 }],
      [createContact, { email: 'ann@calm.com', first_name: 'Ann', custom__score: 1 }],
      [createOpportunity, deal({ name: 'Calm', deal_size: 1 }, { primary_contact_email: 'ann@calm.com' })],
    ];
    for (const [contract, body] of bodies) {
      await send(contract, body);
      expect(statusOf(await send(contract, body, 'update'))).toBe('matched');
    }
    expect(
      await gateway.rows(`SELECT 1 FROM accounts WHERE organization_id = $1 AND domain = 'calm.com' AND version > 1`),
    ).toEqual([]);
  });
});

test.each(['UPDATE', 'yes', ''])('400: refuses on_match=%s', async (value) => {
  const answer = await send(createAccount, { domain: 'bad.com' }, value);
  expect(answer.status).toBe(400);
  expect(answer.fieldsAtFault).toEqual(['on_match']);
});
