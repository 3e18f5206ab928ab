import { searchOpportunities } from '@crm/contract';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';
import { seedSubject, visibleSlugs } from './support/seed-subject.js';
import { subjects } from './support/subject.js';

const unknownId = '01890000-0000-7000-8000-000000000000';
let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
  await seedSubject(gateway, subjects.opportunity);
  const { pipeline, otherPipeline, defineField } = gateway.organization;
  const own = { objectType: 'opportunity', attributeType: 'string' } as const;
  await defineField({ ...own, slug: 'of_first', pipelineIds: [pipeline.id] });
  await defineField({ ...own, slug: 'of_other', pipelineIds: [otherPipeline.id] });
  const { addDeals } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  const stageId = otherPipeline.stages[1]?.id ?? null;
  await addDeals([
    { name: 'Other open', pipelineId: otherPipeline.id, custom: { of_other: 'x' } },
    { name: 'Other closed', pipelineId: otherPipeline.id, stageId },
  ]);
});
afterAll(() => gateway.stop());

const search = (body: object) => gateway.client.call(searchOpportunities, { body });

describe('200: pipelines and stages', () => {
  const namesOf = async (body: object) => {
    const { data } = await search({ sort: 'created_at', ...body });
    return data.opportunities.map(({ name }) => name);
  };

  test('searches all pipelines without pipeline_id and returns the definitions of all', async () => {
    const { data } = await search({ sort: 'created_at:desc' });
    expect(data.opportunities).toHaveLength(7);
    expect(data.opportunities[1]).toMatchObject({ name: 'Other open', custom_fields: { of_other: 'x' } });
    expect(Object.keys(data.custom_field_definitions)).toEqual([...visibleSlugs, 'of_first', 'of_other']);
  });

  test('returns only the deals and definitions of one pipeline with pipeline_id', async () => {
    const { pipeline, otherPipeline } = gateway.organization;
    const { data } = await search({ pipeline_id: otherPipeline.id.toUpperCase() });
    expect(data.opportunities.map(({ name }) => name).sort()).toEqual(['Other closed', 'Other open']);
    expect(Object.keys(data.custom_field_definitions)).toEqual([...visibleSlugs, 'of_other']);
    expect(await namesOf({ pipeline_id: pipeline.id })).toHaveLength(5);
  });

  test('filters by stage with and without pipeline_id', async () => {
    const { otherPipeline } = gateway.organization;
    const stage_id = otherPipeline.stages[1]?.id;
    expect(await namesOf({ stage_id })).toEqual(['Other closed']);
    expect(await namesOf({ stage_id, pipeline_id: otherPipeline.id })).toEqual(['Other closed']);
  });

  test('filters by account, contact and the names of stage and pipeline', async () => {
    const leaf = (field: string, value: string) => namesOf({ filters: [{ field, operator: 'eq', value }] });
    expect(await leaf('account.domain', 'WWW.A1.example')).toEqual(['Alpha One']);
    expect(await leaf('account_name', 'a1')).toEqual(['Alpha One']);
    expect(await leaf('contact.email', 'nobody@a1.example')).toEqual([]);
    expect(await leaf('pipeline_name', 'PARTNERS')).toEqual(['Other open', 'Other closed']);
    expect(await leaf('stage_name', 'closed')).toEqual(['Other closed']);
  });
});

describe('400: pipelines and stages', () => {
  test('refuses a malformed pipeline or stage and names all other faults', async () => {
    const answer = await search({ pipeline_id: 'x', stage_id: 7, limit: 0 });
    expect(answer.fieldsAtFault).toEqual(['limit', 'pipeline_id', 'stage_id']);
  });

  test('answers an unknown stage, one of another pipeline and one of another organization alike', async () => {
    const { pipeline, otherPipeline } = gateway.organization;
    const foreign = gateway.stranger.pipeline.stages[0]?.id;
    for (const [body, others] of [
      [{ stage_id: unknownId }, [{ stage_id: foreign }]],
      [
        { stage_id: unknownId, pipeline_id: pipeline.id },
        [
          { stage_id: foreign, pipeline_id: pipeline.id },
          { stage_id: otherPipeline.stages[0]?.id, pipeline_id: pipeline.id },
        ],
      ],
    ] as const) {
      const answer = await search({ ...body, sort: 'nope' });
      expect(answer.fieldsAtFault).toEqual(['sort', 'stage_id']);
      for (const other of others) expect((await search({ ...other, sort: 'nope' })).text).toBe(answer.text);
    }
  });

  test('refuses a field of another pipeline as unknown', async () => {
    const { pipeline } = gateway.organization;
    const answer = await search({
      pipeline_id: pipeline.id,
      filters: { field: 'of_other', operator: 'empty' },
      sort: 'of_other',
      fields: 'of_other',
    });
    expect(answer.fieldsAtFault).toEqual(['fields', 'filters.field', 'sort']);
  });
});

describe('404', () => {
  test('answers an unknown pipeline and one of another organization with the same bytes', async () => {
    const unknown = await search({ pipeline_id: unknownId, sort: 'nope' });
    expect(unknown.status).toBe(404);
    expect((await search({ pipeline_id: gateway.stranger.pipeline.id, sort: 'nope' })).comparable).toBe(
      unknown.comparable,
    );
  });
});
