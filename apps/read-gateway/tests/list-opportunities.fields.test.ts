import { listOpportunities } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;
let dealId: string;

const options = [
  { label: 'Enterprise', value: 'enterprise', color: '#2563eb' },
  { label: 'Old', value: 'old', color: 'gray', archived: true },
];
const shownOptions = options.map(({ label, value, color }) => ({ label, value, color }));
const custom = { tier: 'enterprise', seats: 3.5, region: 'North', secret: 'hidden', regions: ['old', 'enterprise'] };
const visible = { tier: 'enterprise', seats: 3.5, region: 'North', regions: ['old', 'enterprise'] };

beforeAll(async () => {
  gateway = await startTestGateway();
  const { defineField, pipeline, otherPipeline, member } = gateway.organization;
  const define = (slug: string, attributeType: Parameters<typeof defineField>[0]['attributeType'], more: object = {}) =>
    defineField({ objectType: 'opportunity', slug, attributeType, ...more });
  await define('tier', 'select', { name: 'Deal tier', metadata: { options } });
  await define('seats', 'number');
  await define('region', 'string', { pipelineIds: [pipeline.id] });
  await define('partner', 'string', { pipelineIds: [otherPipeline.id] });
  await define('secret', 'string', { isHidden: true });
  await define('regions', 'multi_select', { metadata: { options } });
  await define('budget', 'currency', { metadata: { currency: 'EUR' } });
  await define('stars', 'rating', { metadata: { max: 10 } });
  await defineField({ objectType: 'account', slug: 'of_account', attributeType: 'string' });
  await defineField({ objectType: 'contact', slug: 'of_contact', attributeType: 'string' });
  const { addContact, addDeals } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  await addContact('ann@acme.com', 'Ann', null);
  const deal = {
    name: 'Full',
    stageId: pipeline.stages[0]?.id ?? null,
    ownerId: member.id,
    amount: 10.5,
  };
  const dates = { closeDateMs: 1798675200000, nextActionDateMs: 253402300799999, nextStep: 'Call' };
  const related = { accountDomain: 'acme.com', primary: 'ann@acme.com' };
  [dealId = ''] = await addDeals([{ ...deal, ...dates, ...related, custom }]);
  await gateway.database.query(gateway.organization.id, {
    text: `UPDATE opportunities SET currency = 'EUR' WHERE organization_id = $1 AND id = $2`,
    values: [dealId],
  });
  await addDeals([{ name: 'Bare', pipelineId: otherPipeline.id, custom: { partner: 'P' } }]);
});
afterAll(() => gateway.stop());

const list = async (query = '', pipeline = gateway.organization.pipeline) => {
  const { data } = await gateway.client.call(listOpportunities, { query: `pipeline_id=${pipeline.id}&${query}` });
  return {
    data,
    record: data.opportunities[0] as Readonly<Record<string, unknown>>,
    slugs: Object.keys(data.custom_field_definitions),
  };
};
const alwaysThere = [
  ...['account_id', 'additional_contacts', 'contact_id', 'custom_fields', 'id', 'name', 'pipeline_id', 'stage_id'],
  'stage_name',
];
const extrasOf = (record: object) => Object.keys(record).filter((key) => !alwaysThere.includes(key));

describe('200: custom field definitions', () => {
  test('contain every visible field of the pipeline, under the keys of the records', async () => {
    const { data, record, slugs } = await list();
    expect(slugs).toEqual(['tier', 'seats', 'region', 'regions', 'budget', 'stars']);
    expect(record['custom_fields']).toEqual(visible);
    expect(data.custom_field_definitions['tier']).toEqual({
      current_name: 'Deal tier',
      property_name: 'custom__tier',
      attribute_type: 'select',
      metadata: { options: shownOptions },
    });
  });

  test('have the metadata that the type needs, or null if it needs none', async () => {
    const definitions = (await list()).data.custom_field_definitions;
    expect(definitions['regions']?.metadata).toEqual({ options: shownOptions });
    expect(definitions['budget']?.metadata).toEqual({ currency: 'EUR' });
    expect(definitions['stars']?.metadata).toEqual({ max: 10 });
    expect(definitions['seats']?.metadata).toBeNull();
  });

  test('are those of the requested pipeline', async () => {
    const { record, slugs } = await list('', gateway.organization.otherPipeline);
    expect(slugs).toContain('partner');
    expect(slugs).not.toContain('region');
    expect(record['custom_fields']).toEqual({ partner: 'P' });
  });

  test('are there even if the page is empty', async () => {
    const { data, slugs } = await list('q=nothing-like-it');
    expect(data.opportunities).toEqual([]);
    expect(slugs).toContain('tier');
  });

  test('contain none of another organization', async () => {
    const { stranger } = gateway;
    const query = { pipeline_id: stranger.pipeline.id };
    const { data } = await gateway.clientOf(stranger).call(listOpportunities, { query });
    expect(data.custom_field_definitions).toEqual({});
    const named = await gateway.clientOf(stranger).call(listOpportunities, { query: { ...query, fields: 'tier' } });
    expect(named.fieldsAtFault).toEqual(['fields']);
  });

  test('leave out a hidden field, here and in records, until it is named', async () => {
    const { record, slugs } = await list('fields=secret');
    expect(slugs).toEqual(['secret']);
    expect(record['custom_fields']).toEqual({ secret: 'hidden' });
  });
});

describe('200: fields', () => {
  test.each([
    ['separated by commas', 'fields=amount,tier,custom__seats'],
    ['repeated', 'fields=amount&fields=tier&fields=custom__seats'],
    ['repeated with brackets', 'fields[]=amount&fields[]=tier&fields[]=custom__seats'],
    ['with escaped brackets and commas', 'fields%5B%5D=amount%2Ctier&fields%5B%5D=custom__seats'],
    ['mixed, with white space, blanks and repetitions', 'fields=%20amount,,tier&fields=amount,%20custom__seats%20'],
  ])('%s: names mean the same in every notation', async (_about, query) => {
    const { record, slugs } = await list(query);
    expect(extrasOf(record)).toEqual(['amount']);
    expect(record['amount']).toBe(10.5);
    expect(record['custom_fields']).toEqual({ tier: 'enterprise', seats: 3.5 });
    expect(slugs).toEqual(['tier', 'seats']);
  });

  test('always returns the standard keys', async () => {
    const whole = (await list()).record;
    const { record } = await list('fields=amount');
    expect(record).toEqual({ ...whole, amount: 10.5, custom_fields: {} });
    expect(Object.keys(record)).toEqual(expect.arrayContaining(alwaysThere));
  });

  test('adds nothing for a standard key, but leaves out the custom fields that are not named', async () => {
    const { record, slugs } = await list('fields=id,name');
    expect(extrasOf(record)).toEqual([]);
    expect([record['custom_fields'], slugs]).toEqual([{}, []]);
  });

  test('returns every visible custom field for custom_fields', async () => {
    const { record, slugs } = await list('fields=custom_fields,amount');
    expect(record['custom_fields']).toEqual(visible);
    expect(slugs).toHaveLength(6);
    expect(extrasOf(record)).toEqual(['amount']);
  });

  test('treats an empty list as absent', async () => {
    for (const query of ['fields=', 'fields=,%20,', 'fields[]='])
      expect((await list(query)).data).toEqual((await list()).data);
  });

  test('returns the value of every extra field', async () => {
    const { member } = gateway.organization;
    const times = { created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), updated_at: expect.stringMatching(/Z$/) };
    const values = {
      ...{ amount: 10.5, currency: 'EUR', close_date: 1798675200000, next_action_date: 253402300799999 },
      ...{ next_step: 'Call', owner_id: member.id, owner_email: member.email, version: 1, pipeline_name: 'Sales' },
      ...{ account_domain: 'acme.com', account_name: 'Acme', contact_email: 'ann@acme.com' },
      ...{ contact_first_name: 'Ann', contact_last_name: null, ...times },
    };
    const { record } = await list(`fields=${Object.keys(values).join(',')}`);
    expect(record).toMatchObject({ id: dealId, ...values });
    expect(extrasOf(record).sort()).toEqual(Object.keys(values).sort());
  });

  test('returns null for an extra field without a value', async () => {
    const names = ['amount', 'currency', 'close_date', 'next_action_date', 'next_step', 'owner_id', 'owner_email'];
    names.push('account_domain', 'account_name', 'contact_email', 'contact_first_name', 'contact_last_name');
    const { record } = await list(`fields=${names.join(',')}`, gateway.organization.otherPipeline);
    expect(names.map((name) => record[name])).toEqual(names.map(() => null));
  });
});

describe('400: fields', () => {
  test.each([
    'partner',
    'custom__partner',
    'of_account',
    'custom__of_contact',
    'custom__',
    'custom_fields.tier',
    'Amount',
  ])('refuses %s as unknown and names it in the error', async (name) => {
    const query = { pipeline_id: gateway.organization.pipeline.id, fields: `amount,${name}` };
    const answer = await gateway.client.call(listOpportunities, { query });
    expect(answer.status).toBe(400);
    expect(answer.errors['fields']).toContain(name);
  });
});
