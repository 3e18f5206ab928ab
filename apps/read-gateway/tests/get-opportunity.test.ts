import { getOpportunity as contract } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeGet } from './support/describe-get.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';
import { seedSubject, visibleSlugs } from './support/seed-subject.js';
import { subjects } from './support/subject.js';

let gateway: TestGateway;
let ids: Readonly<Record<string, string>>;

beforeAll(async () => {
  gateway = await startTestGateway();
  ids = await seedSubject(gateway, subjects.opportunity);
});
afterAll(() => gateway.stop());

describeGet(
  contract,
  subjects.opportunity,
  () => gateway,
  () => ids,
);

describe('200: related records and pipelines', () => {
  const get = async (id: string, query = '') => (await gateway.client.call(contract, { params: { id }, query })).data;

  test('returns the fields of stage, owner, account and contact that are named, and contacts in order', async () => {
    const { addAccount, addContact, addDeals } = recordsOf(
      () => gateway.database,
      () => gateway.organization,
    );
    const { pipeline, member } = gateway.organization;
    const account = await addAccount('full.example', 'Full & Co');
    const ann = await addContact('ann@full.example', 'Ann', 'Lee');
    const bob = await addContact('bob@full.example', null, 'Bo');
    const dates = { closeDateMs: 1_798_675_200_000, nextActionDateMs: -1, nextStep: 'Call "Ann"' };
    const contacts = { accountDomain: 'full.example', primary: 'ann@full.example', additional: ['bob@full.example'] };
    const stage = { stageId: pipeline.stages[2]?.id ?? null, ownerId: member.id };
    const [id = ''] = await addDeals([{ name: 'Full', amount: 12.5, ...dates, ...stage, ...contacts }]);
    const { opportunity } = await get(id);
    expect(opportunity).toEqual({
      id,
      external_id: null,
      name: 'Full',
      pipeline_id: pipeline.id,
      pipeline_name: 'Sales',
      stage_id: pipeline.stages[2]?.id,
      stage_name: 'Won',
      account_id: account,
      account_domain: 'full.example',
      account_name: 'Full & Co',
      contact_id: ann,
      contact_email: 'ann@full.example',
      contact_first_name: 'Ann',
      contact_last_name: 'Lee',
      additional_contacts: [
        { contact_id: bob, contact_first_name: null, contact_last_name: 'Bo', contact_email: 'bob@full.example' },
      ],
      amount: 12.5,
      currency: null,
      close_date: 1_798_675_200_000,
      next_action_date: -1,
      next_step: 'Call "Ann"',
      owner_id: member.id,
      owner_email: 'owner@team.example',
      version: 1,
      created_at: expect.any(String),
      updated_at: expect.any(String),
      custom_fields: {},
    });
  });

  test('returns the definitions of its own pipeline, even for fields that are named', async () => {
    const { addDeals } = recordsOf(
      () => gateway.database,
      () => gateway.organization,
    );
    const { pipeline, otherPipeline, defineField } = gateway.organization;
    const own = { objectType: 'opportunity', attributeType: 'string' } as const;
    await defineField({ ...own, slug: 'of_first', pipelineIds: [pipeline.id] });
    await defineField({ ...own, slug: 'of_other', pipelineIds: [otherPipeline.id] });
    const [id = ''] = await addDeals([{ name: 'Other', pipelineId: otherPipeline.id, custom: { of_other: 'x' } }]);
    // An unknown field name makes the gateway reload the cached setup.
    const narrowed = await get(id, 'fields=of_first,of_other,motto');
    expect(Object.keys(narrowed.custom_field_definitions)).toEqual(['motto', 'of_other']);
    const whole = await get(id);
    expect(Object.keys(whole.custom_field_definitions)).toEqual([...visibleSlugs, 'of_other']);
    expect(whole.opportunity.custom_fields).toEqual({ of_other: 'x' });
  });
});
