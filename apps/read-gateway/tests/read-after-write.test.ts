import * as contracts from '@crm/contract';
import { setupTools } from '@crm/testing/suites';
import { createTestClient, readTestStack } from '@crm/testing';
import { expect, test } from '@jest/globals';
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
