import { listPipelineStages as contract } from '@crm/contract';
import { administration } from '@crm/db';
import type { TestOrganization } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';

const unknownId = '01890000-0000-7000-8000-000000000000';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const list = (id: string, query = '', organization: TestOrganization = gateway.organization) =>
  gateway.clientOf(organization).call(contract, { params: { id }, query });

describe('200', () => {
  test('returns the stages of the pipeline in order, with all their fields', async () => {
    const { pipeline } = gateway.organization;
    const { stages, ...page } = (await list(pipeline.id.toUpperCase())).data;
    expect(page).toEqual({ has_more: false, next_cursor: null, limit: 100 });
    const alike = { pipeline_id: pipeline.id, color: 'gray', is_active: true, probability: null };
    const idOf = (index: number) => pipeline.stages[index]?.id;
    expect(stages).toEqual([
      { ...alike, stage_id: idOf(0), label: 'New', stage_order: 1, is_default: false },
      { ...alike, stage_id: idOf(1), label: 'Qualified', stage_order: 2, is_default: true },
      { ...alike, stage_id: idOf(2), label: 'Won', stage_order: 3, is_default: false },
    ]);
  });

  test('sorts by position, not by id or label, and returns the probability as a number', async () => {
    const stages = ['z', 'b', 'y', 'a', 'x'].map((label, index) => ({
      label,
      probability: index * 12.5,
      color: 'red',
    }));
    const input = { organizationId: gateway.organization.id, name: 'Ordered', stages };
    const { id } = await administration(gateway.database).createPipeline(input);
    const { data } = await list(id);
    expect(data.stages.map(({ label }) => label)).toEqual(['z', 'b', 'y', 'a', 'x']);
    expect(data.stages.map(({ probability }) => probability)).toEqual([0, 12.5, 25, 37.5, 50]);
    const walked: string[] = [];
    for (let cursor: string | null = ''; cursor !== null;) {
      const page: { stages: readonly { label: string }[]; next_cursor: string | null } = (
        await list(id, `limit=2&cursor=${cursor}`)
      ).data;
      walked.push(...page.stages.map(({ label }) => label));
      cursor = page.next_cursor;
    }
    expect(walked).toEqual(['z', 'b', 'y', 'a', 'x']);
  });

  test('returns an empty page for a pipeline without stages', async () => {
    const input = { organizationId: gateway.organization.id, name: 'Empty', stages: [] };
    const { id } = await administration(gateway.database).createPipeline(input);
    expect((await list(id)).data.stages).toEqual([]);
  });
});

describe('400', () => {
  test('names a malformed id together with all other faults', async () => {
    expect((await list('x', 'q=1')).fieldsAtFault).toEqual(['id', 'q']);
  });

  test.each(['limit=0', 'limit=1e2', 'cursor=x', 'fields=label'])(
    'refuses %s and names the parameter',
    async (query) => {
      const answer = await list(gateway.organization.pipeline.id, query);
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
    },
  );

  test('refuses a cursor of another pipeline, limit or organization', async () => {
    const { pipeline, otherPipeline } = gateway.organization;
    const { next_cursor: cursor } = (await list(pipeline.id, 'limit=1')).data;
    expect((await list(pipeline.id, `limit=1&cursor=${cursor ?? ''}`)).status).toBe(200);
    const query = `limit=1&cursor=${cursor ?? ''}`;
    expect((await list(otherPipeline.id, query)).fieldsAtFault).toEqual(['cursor']);
    expect((await list(pipeline.id, query.replace('1', '2'))).fieldsAtFault).toEqual(['cursor']);
    const { stranger } = gateway;
    expect((await list(stranger.pipeline.id, query, stranger)).fieldsAtFault).toEqual(['cursor']);
  });
});

describe('404', () => {
  test('answers an unknown pipeline and one of another organization with the same bytes', async () => {
    const unknown = await list(unknownId);
    expect(unknown.status).toBe(404);
    expect((await list(gateway.stranger.pipeline.id)).comparable).toBe(unknown.comparable);
    expect((await list(gateway.stranger.pipeline.id, '', gateway.stranger)).status).toBe(200);
  });
});
