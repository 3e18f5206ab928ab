import { listOpportunities } from '@crm/contract';
import { setupTools } from '@crm/testing/suites';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { subjects } from './support/subject.js';
import { walkPages } from './support/walk.js';

const options = [
  { label: 'Enterprise', value: 'enterprise', color: '#2563eb' },
  { label: 'Old', value: 'old', color: 'gray', archived: true },
];
const visible = { tier: 'enterprise', seats: 3.5, region: 'North', regions: ['old', 'enterprise'] };
const words = [
  { name: 'Website redesign', accountDomain: 'searched.com' },
  { name: 'Bare', accountDomain: 'other-company.com' },
  { name: 'Nothing' },
  { name: 'With contact', primary: 'hidden@contact.com' },
];

const gateway = useGateway(startTestGateway);
let ids: Readonly<Record<'account' | 'ann' | 'bob' | 'cid' | 'deal', string>>;
/** A pipeline with deals to search for words. */
let searched: string;

beforeAll(async () => {
  const { defineField, pipeline, otherPipeline, member, id: organizationId } = gateway.organization;
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
  const { addAccount, addContact, addDeals } = gateway.records();
  const people = {
    ann: await addContact('ann@acme.com', 'Ann', null),
    bob: await addContact('bob@acme.com', null, null),
    cid: await addContact('cid@acme.com', 'Cid', null),
  };
  const account = await addAccount('acme.com', 'Acme');
  const dates = { closeDateMs: 1798675200000, nextActionDateMs: 253402300799999, nextStep: 'Call' };
  const additional = ['cid@acme.com', 'bob@acme.com'];
  const related = { accountDomain: 'acme.com', primary: 'ann@acme.com', additional, ownerId: member.id };
  const own = {
    name: 'Renewal "1" \\ é 😀 \u2028',
    amount: 10.5,
    currency: 'EUR',
    custom: { ...visible, secret: 'hidden' },
  };
  const [deal = ''] = await addDeals([{ ...own, ...dates, ...related, stageId: stage(2) }]);
  ids = { account, ...people, deal };
  await addDeals([{ name: 'Bare', pipelineId: otherPipeline.id, custom: { partner: 'P' } }]);
  await addAccount('searched.com', 'ÄCME Steel & Söhne');
  await addContact('hidden@contact.com', 'Unfindable', 'Person');
  const create = setupTools(gateway.database).createPipeline;
  searched = (await create({ organizationId, name: 'Searched', stages: [] })).id;
  await addDeals(words.map((one) => ({ ...one, pipelineId: searched })));
});

const list = (query: Readonly<Record<string, string | number>> = {}) =>
  gateway.client.call(listOpportunities, { query: { pipeline_id: gateway.organization.pipeline.id, ...query } });
const listText = (query: string, pipeline = gateway.organization.pipeline) =>
  gateway.client.call(listOpportunities, { query: `pipeline_id=${pipeline.id}&${query}` });
const stage = (index: number) => gateway.organization.pipeline.stages[index]?.id ?? '';

/** The newest record of a list, and its definitions. */
const first = async (query = '', pipeline = gateway.organization.pipeline) => {
  const { opportunities, custom_field_definitions: definitions } = (await listText(query, pipeline)).data;
  const record = opportunities[0] as Readonly<Record<string, unknown>>;
  const extras = Object.keys(record).filter((key) => !subjects.opportunity.baseKeys.includes(key));
  return { record, definitions, slugs: Object.keys(definitions), extras };
};

describe('200', () => {
  test('returns every key of the specification and no other', async () => {
    const contactOf = (name: 'bob' | 'cid', firstName: string | null) => ({
      contact_id: ids[name],
      contact_first_name: firstName,
      contact_last_name: null,
      contact_email: `${name}@acme.com`,
    });
    const { opportunities, ...page } = (await list()).data;
    expect(opportunities).toEqual([
      {
        id: ids.deal,
        name: 'Renewal "1" \\ é 😀 \u2028',
        pipeline_id: gateway.organization.pipeline.id,
        stage_id: stage(2),
        stage_name: 'Won',
        account_id: ids.account,
        contact_id: ids.ann,
        additional_contacts: [contactOf('cid', 'Cid'), contactOf('bob', null)],
        custom_fields: visible,
      },
    ]);
    expect(page).toMatchObject({ has_more: false, next_cursor: null, limit: 100 });
  });

  test('returns an empty page with definitions, and null and empty lists for missing values', async () => {
    expect((await list({ q: 'nothing-like-it' })).data).toMatchObject({
      opportunities: [],
      has_more: false,
      next_cursor: null,
      custom_field_definitions: { tier: {} },
    });
    const { opportunities } = (await list({ pipeline_id: searched, q: 'nothing' })).data;
    const nothing = { stage_id: null, stage_name: null, account_id: null, contact_id: null };
    expect(opportunities).toMatchObject([{ ...nothing, additional_contacts: [], custom_fields: {} }]);
  });

  test('filters by stage_id in upper or lower case, and accepts pipeline_id in upper case', async () => {
    const pipeline_id = gateway.organization.pipeline.id.toUpperCase();
    for (const stage_id of [stage(2), stage(2).toUpperCase()])
      expect((await list({ stage_id, pipeline_id })).data.opportunities.map(({ id }) => id)).toEqual([ids.deal]);
    expect((await list({ stage_id: stage(1) })).data.opportunities).toEqual([]);
  });
});

describe('200: pipeline_id=all', () => {
  const all = async (query: Readonly<Record<string, string | number>>) =>
    (await list({ pipeline_id: 'all', ...query })).data;

  test('pages through the deals of every pipeline, newest first', async () => {
    const names = ['With contact', 'Nothing', 'Bare', 'Website redesign', 'Bare', 'Renewal "1" \\ é 😀 \u2028'];
    const answers = await walkPages((cursor) => list({ pipeline_id: 'all', limit: 2, cursor }));
    const read = answers.flatMap(({ data }) => data.opportunities.map(({ name }) => name));
    expect(read).toEqual(names);
    expect((await all({ q: 'bare' })).opportunities).toHaveLength(2);
    expect((await all({ stage_id: stage(2) })).opportunities.map(({ id }) => id)).toEqual([ids.deal]);
  });

  test('has the fields of single pipelines too', async () => {
    const { opportunities, custom_field_definitions: definitions } = await all({ fields: 'partner,region' });
    expect(Object.keys(definitions)).toEqual(['region', 'partner']);
    const partners = opportunities.map(({ custom_fields: custom }) => (custom as { partner?: string }).partner);
    expect(partners.filter((partner) => partner !== undefined)).toEqual(['P']);
  });

  test('is not another spelling, a default, or a cursor of one pipeline', async () => {
    const { next_cursor: cursor } = await all({ limit: 1 });
    const one = await list({ limit: 1, pipeline_id: searched, cursor: cursor ?? '' });
    expect([one.status, one.fieldsAtFault]).toEqual([400, ['cursor']]);
    const query = { pipeline_id: 'ALL' };
    expect((await list(query)).body).toMatchObject({ errors: { pipeline_id: 'must be a valid UUID, or all' } });
    const without = await gateway.client.call(listOpportunities, { query: {} });
    expect([without.status, without.fieldsAtFault]).toEqual([400, ['pipeline_id']]);
  });
});

describe('200: custom field definitions', () => {
  test('contain every visible field of the pipeline, with the metadata that the type needs', async () => {
    const { slugs, definitions } = await first();
    expect(slugs).toEqual(['tier', 'seats', 'region', 'regions', 'budget', 'stars']);
    const shown = { options: options.map(({ label, value, color }) => ({ label, value, color })) };
    const named = { current_name: 'Deal tier', property_name: 'custom__tier', attribute_type: 'select' };
    expect(definitions['tier']).toEqual({ ...named, metadata: shown });
    const metadata = ['regions', 'budget', 'stars', 'seats'].map((slug) => definitions[slug]?.metadata);
    expect(metadata).toEqual([shown, { currency: 'EUR' }, { max: 10 }, null]);
  });

  test('are those of the requested pipeline', async () => {
    const { record, slugs } = await first('', gateway.organization.otherPipeline);
    expect(slugs).toEqual(expect.arrayContaining(['partner', 'tier']));
    expect(slugs).not.toContain('region');
    expect(record['custom_fields']).toEqual({ partner: 'P' });
  });
});

describe('200: fields', () => {
  test.each([
    ['id,name', [], {}],
    ['secret', [], { secret: 'hidden' }],
    ['custom_fields,amount', ['amount'], visible],
    ['default,amount', ['amount'], visible],
    ['secret&fields=default', [], { ...visible, secret: 'hidden' }],
  ])('%s adds extra fields and selects custom fields; the standard keys stay', async (fields, added, custom) => {
    const { record, extras } = await first(`fields=${fields}`);
    expect([extras, record['custom_fields']]).toEqual([added, custom]);
    expect(Object.keys(record)).toEqual(expect.arrayContaining([...subjects.opportunity.baseKeys]));
  });

  test('returns the value of every extra field, or null', async () => {
    const { member } = gateway.organization;
    const optional = {
      amount: 10.5,
      currency: 'EUR',
      close_date: 1798675200000,
      next_action_date: 253402300799999,
      next_step: 'Call',
      owner_id: member.id,
      owner_email: member.email,
      account_domain: 'acme.com',
      account_name: 'Acme',
      contact_email: 'ann@acme.com',
      contact_first_name: 'Ann',
      contact_last_name: null,
    };
    const times = { created_at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/), updated_at: expect.stringMatching(/Z$/) };
    const values = { ...optional, version: 1, pipeline_name: 'Sales', ...times };
    const { record, extras } = await first(`fields=${Object.keys(values).join(',')}`);
    expect(record).toMatchObject({ id: ids.deal, ...values });
    expect(extras.sort()).toEqual(Object.keys(values).sort());
    const names = Object.keys(optional);
    const bare = await first(`fields=${names.join(',')}`, gateway.organization.otherPipeline);
    expect(names.map((name) => bare.record[name])).toEqual(names.map(() => null));
  });
});

describe('200: q', () => {
  /** The names of the deals that a query finds, oldest first. */
  const find = async (q: string): Promise<(string | null)[]> =>
    (await list({ pipeline_id: searched, q })).data.opportunities.map(({ name }) => name).reverse();

  test.each([
    ['a part of a name in another case', 'REDES', ['Website redesign']],
    ['one word of the name and one of the account', 'redesign SÖHNE', ['Website redesign']],
    ['the domain of the account', 'searched.com', ['Website redesign']],
    ['the name of a contact, which is not searched', 'unfindable', []],
    ['the email of a contact, which is not searched', 'hidden', []],
    ['the account of the contact', 'contact.com', ['With contact']],
    ['deals of other pipelines, which are not searched', 'renewal', []],
    ['SQL', "'; DROP TABLE opportunities; --", []],
    // `search.test.ts` has the words with wildcards of SQL.
  ])('handles %s', async (_about, q, names) => {
    expect(await find(q)).toEqual(names);
  });
});
