import { searchOpportunities, summarizeOpportunities, type SummarizeOpportunitiesBody } from '@crm/contract';
import type { TestOrganization } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

const gateway = useGateway(startTestGateway);

describe('200: questions about a pipeline', () => {
  let organization: TestOrganization;
  const hour = 3_600_000;

  beforeAll(async () => {
    organization = await gateway.createOrganization();
    const [first, second, third] = organization.pipeline.stages.map(({ id }) => id);
    const records = gateway.records(organization);
    const names = ['Ärzte AG', 'beta', 'Alpha'];
    for (const [index, name] of names.entries())
      await records.add('account', { domain: `${index}.example`, name, industry: index === 2 ? null : 'Health' });
    const query = (text: string, ...values: unknown[]) => gateway.database.query(organization.id, { text, values });
    await query(
      `UPDATE stages SET outcome = CASE id WHEN $2 THEN 'won' WHEN $3 THEN 'lost' ELSE 'open' END, probability = 12.5 WHERE organization_id = $1`,
      second,
      third,
    );
    const closeDateMs = Date.UTC(2026, 11, 31, 23);
    const [one, two, three] = await records.addDeals([
      { name: 'A', stageId: second, amount: 100, accountDomain: '0.example' },
      { name: 'B', stageId: second, amount: 0.1, accountDomain: '1.example', closeDateMs },
      { name: 'C', stageId: third, amount: 7, accountDomain: '1.example', closeDateMs: closeDateMs + hour },
      { name: 'D', stageId: first, amount: 33.33, accountDomain: '1.example', nextStep: 'Call', closeDateMs },
      { name: 'E', stageId: first, accountDomain: '2.example', nextActionDateMs: Date.UTC(2025, 0, 1) },
    ]);
    const closed = `UPDATE opportunities SET created_at = $3::timestamptz - interval '36 hours', stage_entered_at = $3, closed_at = $3
      WHERE organization_id = $1 AND id = $2`;
    await query(closed, one, '2026-03-31T21:30:00Z');
    await query(closed, two, '2026-03-31T22:30:00Z');
    await query(closed, three, '2026-06-01T00:00:00Z');
    await query(
      `UPDATE opportunities SET created_at = created_at - interval '12 hours' WHERE organization_id = $1 AND id = $2`,
      one,
    );
  });

  const groupsOf = async (body: SummarizeOpportunitiesBody) =>
    (await gateway.client.call(summarizeOpportunities, { body, key: organization.key })).data.groups.map(
      ({ label, count, key: _key, ...measures }) => [
        ...Object.values(label).filter((text) => text !== null),
        count,
        ...Object.values(measures),
      ],
    );
  const filters = (field: string, operator: string, value?: unknown) => ({ filters: { field, operator, value } });

  test.each<[string, SummarizeOpportunitiesBody, unknown]>([
    [
      'the stages in their order',
      { group_by: ['stage_id'], measures: ['sum:weighted_amount'], sort: 'stage_id' },
      [
        ['New', 2, '4.16625'],
        ['Qualified', 2, '12.5125'],
        ['Won', 1, '0.875'],
      ],
    ],
    [
      'the largest amounts, not the most deals',
      {
        group_by: ['account_id'],
        measures: ['sum:amount'],
        sort: 'sum:amount:desc',
        limit: 1,
        ...filters('outcome', 'eq', 'won'),
      },
      [['Ärzte AG', 1, '100']],
    ],
    [
      'accounts by their names',
      { group_by: ['account_id'], sort: { field: 'account_id', direction: 'desc' } },
      [
        ['Ärzte AG', 1],
        ['beta', 3],
        ['Alpha', 1],
      ],
    ],
    [
      'won and lost deals by quarter, in a time zone',
      {
        ...filters('outcome', 'in', ['won', 'lost']),
        group_by: ['closed_at:quarter', 'outcome'],
        measures: ['sum:amount'],
        sort: ['closed_at:quarter', 'outcome:desc'],
        time_zone: 'Europe/Berlin',
      },
      [
        ['2026-Q1', 'won', 1, '100'],
        ['2026-Q2', 'won', 1, '0.1'],
        ['2026-Q2', 'lost', 1, '7'],
      ],
    ],
    [
      'dates, which stay on their day west of UTC, and moments, which do not',
      {
        group_by: ['close_date:month'],
        time_zone: 'America/New_York',
        sort: 'close_date:month',
        ...filters('close_date', 'not_empty'),
      },
      [
        ['2026-12', 2],
        ['2027-01', 1],
      ],
    ],
    [
      'days to close',
      {
        group_by: ['closed_at:month'],
        measures: ['median:days_to_close', 'p90:days_to_close', 'avg:days_to_close'],
        ...filters('outcome', 'eq', 'won'),
      },
      [['2026-03', 2, '1.75', '2', '1.75']],
    ],
    [
      'industries of accounts',
      { group_by: ['account.industry'], measures: ['median:amount'], sort: 'median:amount:desc' },
      [
        ['Health', 4, '20.165'],
        [1, null],
      ],
    ],
    [
      'deals without a next step',
      { measures: ['count'], group_by: ['outcome'], ...filters('next_step', 'empty') },
      [
        ['won', 2],
        ['lost', 1],
        ['open', 1],
      ],
    ],
    ['overdue actions', { group_by: ['outcome'], ...filters('next_action_date', 'lt', '2026-01-01') }, [['open', 1]]],
  ])('answers %s', async (_about, body, expected) => {
    expect(await groupsOf(body)).toEqual(expected);
  });

  test('a search returns the longest open deals first, and days_to_close on request', async () => {
    const body = { ...filters('outcome', 'eq', 'won'), sort: 'stage_entered_at', fields: ['days_to_close'] };
    const { opportunities } = (await gateway.client.call(searchOpportunities, { body, key: organization.key })).data;
    expect(opportunities.map((deal) => [deal.name, deal['days_to_close']])).toEqual([
      ['A', 2],
      ['B', 1.5],
    ]);
  });
});
