import { summarizeOpportunities as contract, type SummarizeOpportunitiesBody, type Summary } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeSummaryRefusals } from './support/describe-summary-refusals.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;
let stageIds: string[];
const options = [
  { label: 'Enterprise', value: 'ent', color: 'gray' },
  { label: 'Small', value: 'smb', color: 'gray', archived: true },
];
const deals = () =>
  recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );

beforeAll(async () => {
  gateway = await startTestGateway();
  const { organization } = gateway;
  const define = (slug: string, attributeType: 'select' | 'checkbox' | 'currency' | 'number', more: object = {}) =>
    organization.defineField({ objectType: 'opportunity', slug, attributeType, ...more });
  await define('tier', 'select', { metadata: { options } });
  await define('is_big', 'checkbox');
  await define('budget', 'currency', { metadata: { currency: 'EUR' } });
  await define('secret', 'number', { isHidden: true });
  stageIds = organization.pipeline.stages.map(({ id }) => id);
  const [first = '', second = ''] = stageIds;
  await deals().addDeals([
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
});
afterAll(() => gateway.stop());

const ask = async (body: SummarizeOpportunitiesBody): Promise<Summary> => {
  const answer = await gateway.client.call(contract, { body });
  expect(answer.status).toBe(200);
  return answer.data;
};

describe('200', () => {
  test('returns only the total without groups', async () => {
    const empty = { groups: [], total_by_currency: [], truncated: false };
    expect(await ask({})).toEqual({ ...empty, total: { count: 5 } });
    expect(await ask({ measures: ['count', 'sum:budget', 'avg:budget', 'min:budget', 'max:budget'] })).toEqual({
      ...empty,
      total: { count: 5, 'sum:budget': '1.3', 'avg:budget': '0.43333333', 'min:budget': '0.1', 'max:budget': '1' },
    });
  });

  test('returns groups with ids and labels, the largest first', async () => {
    const [first = '', second = ''] = stageIds;
    const [one, other] = gateway.organization.pipeline.stages;
    expect((await ask({ group_by: ['stage_id'] })).groups).toEqual([
      { key: { stage_id: first }, label: { stage_id: one?.label }, count: 3 },
      { key: { stage_id: second }, label: { stage_id: other?.label }, count: 2 },
    ]);
  });

  test('labels owners, pipelines and accounts, and returns a group of deals without one', async () => {
    const { member, pipeline } = gateway.organization;
    const owners = (await ask({ group_by: ['owner_id', 'pipeline_id'] })).groups;
    expect(owners.map(({ key, label, count }) => [key['owner_id'], label['owner_id'], count])).toEqual([
      [null, null, 4],
      [member.id, member.email, 1],
    ]);
    expect(owners[0]?.key['pipeline_id']).toBe(pipeline.id);
    expect(owners[0]?.label['pipeline_id']).not.toBeNull();
    const accounts = (await ask({ group_by: ['account_id'] })).groups;
    expect(accounts.map(({ label, count }) => [label['account_id'], count])).toEqual([
      [null, 4],
      ['Acme', 1],
    ]);
  });

  test('never adds amounts of several currencies: the currency becomes part of the key', async () => {
    const summary = await ask({ group_by: ['stage_id'], measures: ['sum:amount', 'sum:budget'] });
    const [first = '', second = ''] = stageIds;
    expect(summary.groups.map(({ count }) => count)).toEqual([2, 2, 1]);
    expect(summary.groups.map(({ label: _label, ...group }) => group)).toEqual(
      expect.arrayContaining([
        { key: { stage_id: first, currency: 'EUR' }, count: 2, 'sum:amount': '0.3', 'sum:budget': '0.1' },
        { key: { stage_id: second, currency: null }, count: 2, 'sum:amount': null, 'sum:budget': '1' },
        { key: { stage_id: first, currency: 'USD' }, count: 1, 'sum:amount': '999999999999.9999', 'sum:budget': '0.2' },
      ]),
    );
    expect(summary.total).toEqual({ count: 5, 'sum:amount': null, 'sum:budget': '1.3' });
    expect(summary.total_by_currency).toEqual([
      { currency: 'EUR', count: 2, 'sum:amount': '0.3', 'sum:budget': '0.1' },
      { currency: null, count: 2, 'sum:amount': null, 'sum:budget': '1' },
      { currency: 'USD', count: 1, 'sum:amount': '999999999999.9999', 'sum:budget': '0.2' },
    ]);
    const filters = { field: 'currency', operator: 'eq', value: 'EUR' };
    expect((await ask({ measures: ['avg:amount'], filters })).total).toEqual({ count: 2, 'avg:amount': '0.15' });
  });

  test('returns a total if only one currency has amounts', async () => {
    const organization = await gateway.createOrganization();
    const records = recordsOf(
      () => gateway.database,
      () => organization,
    );
    await records.addDeals([
      { name: 'A', amount: 100.5, currency: 'EUR' },
      { name: 'B', amount: 200, currency: 'EUR' },
      { name: 'C' },
      { name: 'D', currency: 'USD' },
    ]);
    const total = async () => {
      const { data } = await gateway
        .clientOf(organization)
        .call(contract, { body: { measures: ['sum:amount', 'max:version'] } });
      return data.total;
    };
    expect(await total()).toEqual({ count: 4, 'sum:amount': '300.5', 'max:version': '1' });
    await records.addDeals([{ name: 'E', amount: 1 }]);
    expect(await total()).toEqual({ count: 5, 'sum:amount': null, 'max:version': '1' });
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

  test.each([
    ['day', '2026-12-31', '2026-12-31', '2027-01-03'],
    ['week', '2026-12-28', '2026-W53', '2026-12-28'],
    ['month', '2026-12-01', '2026-12', '2027-01-01'],
    ['quarter', '2026-10-01', '2026-Q4', '2027-01-01'],
    ['year', '2026-01-01', '2026', '2027-01-01'],
  ])('groups dates by %s in UTC, with weeks starting on Monday', async (unit, key, label, next) => {
    const name = `close_date:${unit}`;
    const filters = { field: 'close_date', operator: 'not_empty' };
    const { groups } = await ask({ group_by: [name], filters });
    expect(groups[0]).toMatchObject({ key: { [name]: key }, label: { [name]: label } });
    expect(groups.at(-1)?.key[name]).toBe(next);
  });

  test('filters by words, filters, pipeline and stage', async () => {
    const { pipeline } = gateway.organization;
    expect((await ask({ query: 'acme' })).total.count).toBe(1);
    expect((await ask({ pipeline_id: pipeline.id, stage_id: stageIds[0] ?? null })).total.count).toBe(3);
    expect((await ask({ filters: [{ field: 'amount', operator: 'gt', value: 0.1 }] })).total.count).toBe(2);
    expect(await ask({ query: 'nothing', group_by: ['stage_id'], measures: ['sum:amount'] })).toEqual({
      groups: [],
      total: { count: 0, 'sum:amount': null },
      total_by_currency: [],
      truncated: false,
    });
  });

  test('cuts groups beyond the limit and still returns the total of all', async () => {
    const { groups, total, truncated } = await ask({ group_by: ['close_date:day'], limit: 1 });
    expect([groups.length, groups[0]?.count, total.count, truncated]).toEqual([1, 3, 5, true]);
  });

  test('labels a stage that was created a moment ago', async () => {
    const organization = await gateway.createOrganization();
    const client = gateway.clientOf(organization);
    await client.call(contract, { body: { group_by: ['stage_id'] } });
    const id = crypto.randomUUID();
    await gateway.database.query(organization.id, {
      text: `INSERT INTO stages (organization_id, id, pipeline_id, label, position, color) VALUES ($1, $2, $3, 'Fresh', 9, 'gray')`,
      values: [id, organization.pipeline.id],
    });
    await recordsOf(
      () => gateway.database,
      () => organization,
    ).addDeals([{ name: 'A', stageId: id }]);
    const { data } = await client.call(contract, { body: { group_by: ['stage_id'] } });
    expect(data.groups[0]?.label).toEqual({ stage_id: 'Fresh' });
  });
});

describe('404', () => {
  test('answers a pipeline of another organization as unknown', async () => {
    const answer = await gateway.client.call(contract, { body: { pipeline_id: gateway.stranger.pipeline.id } });
    expect(answer.status).toBe(404);
    const unknown = await gateway.client.call(contract, { body: { pipeline_id: crypto.randomUUID() } });
    expect(answer.comparable).toBe(unknown.comparable);
  });
});

describeSummaryRefusals(contract, () => gateway);
