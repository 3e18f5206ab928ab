import { summarizeAccounts as contract, type Summary, type SummaryBody } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { describeSummaryRefusals } from './support/describe-summary-refusals.js';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  const { organization } = gateway;
  const objectType = 'account';
  const metadata = { options: [{ label: 'Small', value: 'smb', color: 'gray' }] };
  await organization.defineField({ objectType, slug: 'tier', attributeType: 'select', metadata });
  await organization.defineField({ objectType, slug: 'secret', attributeType: 'number', isHidden: true });
  const { addAccount } = recordsOf(
    () => gateway.database,
    () => organization,
  );
  await addAccount('one.example', 'One');
  await addAccount('two.example', 'Two');
});
afterAll(() => gateway.stop());

const ask = async (body: SummaryBody): Promise<Summary> => {
  const answer = await gateway.client.call(contract, { body });
  expect(answer.status).toBe(200);
  return answer.data;
};

describe('200', () => {
  test('returns groups, measures and the total', async () => {
    const { groups, total } = await ask({ group_by: ['is_freemail', 'tier'], measures: ['max:version'] });
    expect(groups[0]).toEqual({
      key: { is_freemail: false, tier: null },
      label: { is_freemail: 'No', tier: null },
      count: 2,
      'max:version': '1',
    });
    expect(total).toEqual({ count: 2, 'max:version': '1' });
  });

  test('filters by words and groups by month of creation', async () => {
    const { groups, total } = await ask({ query: 'two', group_by: ['created_at:month'] });
    const month = new Date().toISOString().slice(0, 7);
    expect(groups).toEqual([
      { key: { 'created_at:month': `${month}-01` }, label: { 'created_at:month': month }, count: 1 },
    ]);
    expect(total).toEqual({ count: 1 });
  });
});

describe('400: accounts', () => {
  test('refuses pipeline_id, stage_id and amounts', async () => {
    const { pipeline } = gateway.organization;
    const shape = await gateway.client.call(contract, { body: { pipeline_id: pipeline.id, stage_id: pipeline.id } });
    expect(shape.status).toBe(400);
    expect(shape.fieldsAtFault).toEqual(['pipeline_id', 'stage_id']);
    const answer = await gateway.client.call(contract, { body: { group_by: ['stage_id'], measures: ['sum:amount'] } });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['group_by[0]', 'measures[0]']);
  });
});

describeSummaryRefusals(contract, () => gateway);
