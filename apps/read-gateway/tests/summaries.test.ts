import * as contracts from '@crm/contract';
import type { Answer, TestOrganization } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

const { summarizeAccounts, summarizeContacts, summarizeOpportunities } = contracts;

const gateway = useGateway(startTestGateway);
let stageIds: string[];
const options = [
  { label: 'Enterprise', value: 'ent', color: 'gray' },
  { label: 'Small', value: 'smb', color: 'gray', archived: true },
];

beforeAll(async () => {
  const { organization } = gateway;
  for (const objectType of ['opportunity', 'account', 'contact'] as const) {
    await organization.defineField({ objectType, slug: 'tier', attributeType: 'select', metadata: { options } });
    await organization.defineField({ objectType, slug: 'secret', attributeType: 'number', isHidden: true });
  }
  await organization.defineField({ objectType: 'opportunity', slug: 'is_big', attributeType: 'checkbox' });
  const metadata = { currency: 'EUR' };
  await organization.defineField({ objectType: 'opportunity', slug: 'budget', attributeType: 'currency', metadata });
  stageIds = organization.pipeline.stages.map(({ id }) => id);
  const [first = '', second = ''] = stageIds;
  const { addAccount, addContact, addDeals } = gateway.records();
  await addDeals([
    { name: 'A', stageId: first, amount: 0.1, currency: 'EUR', accountDomain: 'acme.example', custom: { tier: 'ent' } },
    { name: 'B', stageId: first, amount: 0.2, currency: 'EUR', custom: { tier: 'smb', is_big: true, budget: 0.1 } },
    {
      name: 'C',
      stageId: first,
      amount: 999_999_999_999.9999,
      currency: 'USD',
      custom: { is_big: false, budget: 0.2 },
    },
    { name: 'D', stageId: second, ownerId: organization.member.id, closeDateMs: Date.UTC(2026, 11, 31, 23, 59) },
    { name: 'E', stageId: second, closeDateMs: Date.UTC(2027, 0, 3), custom: { budget: 1 } },
  ]);
  await addAccount('two.example', 'Two');
  for (const name of ['Ann', 'Bob']) await addContact(`${name.toLowerCase()}@acme.example`, name, null);
});

const ask = async (
  body: contracts.SummarizeOpportunitiesBody,
  { key }: TestOrganization = gateway.organization,
): Promise<contracts.Summary> => (await gateway.client.call(summarizeOpportunities, { body, key })).data;

describe('200: accounts and contacts', () => {
  const month = new Date().toISOString().slice(0, 7);
  test.each([
    ['accounts', summarizeAccounts, 'two', { is_freemail: 'No', tier: null }],
    ['contacts', summarizeContacts, 'bob', { account_id: 'Acme', tier: null }],
  ] as const)(
    '%s: returns groups, measures and the total; filters by words',
    async (_about, contract, query, label) => {
      const body = { group_by: Object.keys(label), measures: ['max:version'] };
      const { groups, total } = (await gateway.client.call(contract, { body })).data;
      expect(groups).toEqual([{ key: expect.any(Object), label, count: 2, 'max:version': '1' }]);
      expect(total).toEqual({ count: 2, 'max:version': '1' });
      const byMonth = { query, group_by: ['created_at:month'] };
      expect((await gateway.client.call(contract, { body: byMonth })).data).toMatchObject({
        groups: [{ key: { 'created_at:month': `${month}-01` }, label: { 'created_at:month': month }, count: 1 }],
        total: { count: 1 },
      });
    },
  );
});

describe('200: opportunities', () => {
  test('returns groups with ids and labels, the largest first, and a group without a value', async () => {
    const { member, pipeline } = gateway.organization;
    const [first, second] = pipeline.stages;
    expect((await ask({ group_by: ['stage_id'] })).groups).toEqual([
      { key: { stage_id: first?.id }, label: { stage_id: first?.label }, count: 3 },
      { key: { stage_id: second?.id }, label: { stage_id: second?.label }, count: 2 },
    ]);
    const of = { pipeline_id: pipeline.id };
    const labelled = { pipeline_id: 'Sales' };
    expect((await ask({ group_by: ['owner_id', 'pipeline_id'] })).groups).toEqual([
      { key: { owner_id: null, ...of }, label: { owner_id: null, ...labelled }, count: 4 },
      { key: { owner_id: member.id, ...of }, label: { owner_id: member.email, ...labelled }, count: 1 },
    ]);
    const accounts = (await ask({ group_by: ['account_id'] })).groups;
    expect(accounts.map(({ label, count }) => [label['account_id'], count])).toEqual([
      [null, 4],
      ['Acme', 1],
    ]);
  });

  test('never adds amounts of several currencies: the currency becomes part of the key', async () => {
    const summary = await ask({ group_by: ['stage_id'], measures: ['sum:amount', 'sum:budget'] });
    const [first = '', second = ''] = stageIds;
    const euros = { count: 2, 'sum:amount': '0.3', 'sum:budget': '0.1' };
    const without = { count: 2, 'sum:amount': null, 'sum:budget': '1' };
    const dollars = { count: 1, 'sum:amount': '999999999999.9999', 'sum:budget': '0.2' };
    expect(summary.groups.map(({ count }) => count)).toEqual([2, 2, 1]);
    expect(summary.groups.map(({ label: _label, ...group }) => group)).toEqual(
      expect.arrayContaining([
        { key: { stage_id: first, currency: 'EUR' }, ...euros },
        { key: { stage_id: second, currency: null }, ...without },
        { key: { stage_id: first, currency: 'USD' }, ...dollars },
      ]),
    );
    expect(summary.total).toEqual({ count: 5, 'sum:amount': null, 'sum:budget': '1.3' });
    expect(summary.total_by_currency).toEqual([
      { currency: 'EUR', ...euros },
      { currency: null, ...without },
      { currency: 'USD', ...dollars },
    ]);
    const filters = { field: 'currency', operator: 'eq', value: 'EUR' };
    expect((await ask({ measures: ['avg:amount'], filters })).total).toEqual({ count: 2, 'avg:amount': '0.15' });
  });

  test('percentiles are exact, also in totals and with several currencies', async () => {
    const {
      groups,
      total,
      total_by_currency: currencies,
    } = await ask({ group_by: ['stage_id'], measures: ['median:amount'] });
    expect(groups.find(({ key }) => key['currency'] === 'USD')?.['median:amount']).toBe('999999999999.9999');
    expect([total['median:amount'], currencies.map((one) => one['median:amount'])]).toEqual([
      null,
      ['0.15', null, '999999999999.9999'],
    ]);
  });

  test('returns labels of archived options too; checkboxes are true, false or null', async () => {
    const { groups } = await ask({ group_by: ['custom__tier', 'is_big'] });
    expect(groups.map(({ key, label, count }) => [...Object.values(key), ...Object.values(label), count])).toEqual([
      [null, null, null, null, 2],
      ['ent', null, 'Enterprise', null, 1],
      ['smb', true, 'Small', 'Yes', 1],
      [null, false, null, 'No', 1],
    ]);
    expect(Object.keys(groups[0]?.key ?? {})).toEqual(['custom__tier', 'is_big']);
  });

  test('puts times before 1970 into their UTC days, weeks and months, as later ones', async () => {
    const organization = await gateway.createOrganization();
    const day = 86_400_000;
    const times = [-2 * day, -day - 1, -day, -1, 0, day - 1, day];
    await gateway
      .records(organization)
      .addDeals(times.map((ms, n) => ({ name: `Deal ${n}`, closeDateMs: ms, nextActionDateMs: ms })));
    for (const field of ['close_date', 'next_action_date']) {
      const name = `${field}:day`;
      const { groups } = await ask({ group_by: [name] }, organization);
      const counted = groups.map(({ key, count }) => `${String(key[name])} ${count}`).sort();
      expect(counted).toEqual(['1969-12-30 2', '1969-12-31 2', '1970-01-01 2', '1970-01-02 1']);
    }
  });

  test('labels a stage that was created a moment ago', async () => {
    const organization = await gateway.createOrganization();
    await ask({ group_by: ['stage_id'] }, organization);
    const stageId = crypto.randomUUID();
    await gateway.database.query(organization.id, {
      text: `INSERT INTO stages (organization_id, id, pipeline_id, label, comparable_label, position, color) VALUES ($1, $2, $3, 'Fresh', 'fresh', 9, 'gray')`,
      values: [stageId, organization.pipeline.id],
    });
    await gateway.records(organization).addDeals([{ name: 'A', stageId }]);
    const { groups } = await ask({ group_by: ['stage_id'] }, organization);
    expect(groups[0]?.label).toEqual({ stage_id: 'Fresh' });
  });
});

describe.each([summarizeAccounts, summarizeContacts, summarizeOpportunities])('400: $id', (contract) => {
  test.each([
    [{ group_by: ['secret'], measures: ['sum:custom__secret'] }, ['group_by[0]', 'measures[0]']],
    [{ cursor: 'x', fields: 'name' }, ['cursor', 'fields']],
    [{ sort: ['name', 'sum:amount'], time_zone: 'CET' }, ['sort[0]', 'sort[1]', 'time_zone']],
    [{ query: 'a', q: 'b' }, ['q']],
    [
      { group_by: ['x'], measures: ['sum:x'], filters: { field: 'name', operator: 'gt', value: 1 } },
      ['filters.operator', 'group_by[0]', 'measures[0]'],
    ],
  ])('refuses %j', async (body, paths) => {
    const answer: Answer = await gateway.client.call(contract, { body });
    expect([answer.status, answer.fieldsAtFault]).toEqual([400, paths]);
  });
});

test.each([summarizeAccounts, summarizeContacts])(
  '400: $id refuses pipelines, stages and amounts',
  async (contract) => {
    const { id } = gateway.organization.pipeline;
    for (const [body, paths] of [
      [{ pipeline_id: id, stage_id: id }, ['pipeline_id', 'stage_id']],
      [{ group_by: ['stage_id'], measures: ['sum:amount'] }, ['group_by[0]', 'measures[0]']],
    ] as const) {
      expect((await gateway.client.call(contract, { body })).fieldsAtFault).toEqual(paths);
    }
  },
);
