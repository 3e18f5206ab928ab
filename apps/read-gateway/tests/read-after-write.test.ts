import * as contracts from '@crm/contract';
import { setupTools } from '@crm/testing/suites';
import { createTestClient, readTestStack } from '@crm/testing';
import { afterEach, expect, jest, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

const gateway = useGateway(startTestGateway);

test('200: shows an opportunity of a new pipeline at once, even if another caller just listed others', async () => {
  const { key, id: organizationId } = gateway.organization;
  const inbound = createTestClient(readTestStack().inboundUrl, key);
  const search = async (body: object) =>
    (await gateway.client.call(contracts.searchOpportunities, { body })).data.opportunities.map((one) => one.id);
  await search({});
  const input = { organizationId, name: 'New', stages: [{ label: 'Open' }] };
  const { id: pipelineId } = await setupTools(gateway.database).createPipeline(input);
  const body = { pipeline_id: pipelineId, opportunity: { name: 'Fresh1x' } };
  const { opportunity_id: id } = (await inbound.call(contracts.createOpportunity, { body })).data;
  for (const question of [{ limit: 1 }, { query: 'fresh1x' }, { sort: 'created_at:desc', limit: 1 }]) {
    expect(await search(question)).toEqual([id]);
  }
  for (const sort of ['stage_name:asc', 'stage_name:desc', 'pipeline_name:asc', 'pipeline_name:desc']) {
    expect(await search({ sort, limit: 500 })).toContain(id);
  }
});

afterEach(() => {
  jest.restoreAllMocks();
});

test('200: a change of the setup by another process shows at once with its token, and without it after a second', async () => {
  const { key, pipeline } = gateway.organization;
  const inbound = createTestClient(readTestStack().inboundUrl, key);
  const one = await gateway.start();
  const clock = { nowMs: performance.now() };
  jest.spyOn(performance, 'now').mockImplementation(() => clock.nowMs);
  const firstLabel = async (token?: string | null) => {
    const headers = { ...(typeof token === 'string' && { 'x-read-after': token }) };
    const answer = await one.client.call(contracts.listPipelineStages, { params: { id: pipeline.id }, headers });
    return answer.data.stages[0]?.label;
  };
  const rename = async (label: string) =>
    (await inbound.send('PATCH', `/v1/inbound/stages/${pipeline.stages[0]?.id}`, { body: { label } })).headers;
  await firstLabel();
  const token = (await rename('Fresh')).get('x-read-after');
  // The gateway still has the setup that it read a moment ago.
  expect(await firstLabel()).toBe('New');
  expect(await firstLabel(token)).toBe('Fresh');
  await rename('Fresher');
  clock.nowMs += 999;
  expect(await firstLabel()).toBe('Fresh');
  clock.nowMs += 1;
  expect(await firstLabel()).toBe('Fresher');
});
