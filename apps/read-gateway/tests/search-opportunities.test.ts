import { randomUUID } from 'node:crypto';
import { searchOpportunities, summarizeOpportunities } from '@crm/contract';
import { setupTools } from '@crm/testing/suites';
import { compareCodePoints, sortKey } from '@crm/domain';
import type { TestOrganization } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { walkSearch } from './support/walk.js';
import { startTestGateway, useGateway } from './support/gateway.js';

const unknownId = '01890000-0000-7000-8000-000000000000';
const gateway = useGateway(startTestGateway);

const search = (body: object, { key } = gateway.organization) =>
  gateway.client.call(searchOpportunities, { body, key });
const namesOf = async (body: object, owner?: TestOrganization) =>
  (await search({ sort: 'created_at', ...body }, owner)).data.opportunities.map(({ name }) => name);

/** A pipeline with a deal in each of its stages. @returns the ids of the deals, in order */
const addStages = async (organizationId: string, name: string, labels: readonly string[]) => {
  const { createPipeline } = setupTools(gateway.database);
  const stages = labels.map((label) => ({ label }));
  const { id: pipelineId } = await createPipeline({ organizationId, name, stages });
  const text = 'SELECT id FROM stages WHERE organization_id = $1 AND pipeline_id = $2 ORDER BY position';
  const rows = await gateway.database.query<{ id: string }>(organizationId, { text, values: [pipelineId] });
  const deals = rows.map(({ id: stageId }, index) => ({ name: `${name} ${labels[index] ?? ''}`, pipelineId, stageId }));
  return gateway.records().addDeals(deals);
};

describe('pipelines and stages', () => {
  beforeAll(async () => {
    const { pipeline, otherPipeline, defineField } = gateway.organization;
    const own = { objectType: 'opportunity', attributeType: 'string' } as const;
    await defineField({ ...own, slug: 'everywhere' });
    await defineField({ ...own, slug: 'of_first', pipelineIds: [pipeline.id] });
    await defineField({ ...own, slug: 'of_other', pipelineIds: [otherPipeline.id] });
    const other = { pipelineId: otherPipeline.id };
    await gateway.records().addDeals([
      { name: 'Alpha', accountDomain: 'a1.example' },
      { name: 'Other open', ...other, custom: { of_other: 'x' } },
      { name: 'Other closed', ...other, stageId: otherPipeline.stages[1]?.id ?? null },
    ]);
  });

  test('200: searches all pipelines, one or a stage, and returns their definitions', async () => {
    const { pipeline, otherPipeline } = gateway.organization;
    const all = (await search({ sort: 'created_at' })).data;
    expect(all.opportunities.map(({ name }) => name)).toEqual(['Alpha', 'Other open', 'Other closed']);
    expect(all.opportunities[1]?.custom_fields).toEqual({ of_other: 'x' });
    expect(Object.keys(all.custom_field_definitions)).toEqual(['everywhere', 'of_first', 'of_other']);
    const one = (await search({ pipeline_id: otherPipeline.id.toUpperCase() })).data;
    expect(one.opportunities.map(({ name }) => name)).toEqual(['Other closed', 'Other open']);
    expect(Object.keys(one.custom_field_definitions)).toEqual(['everywhere', 'of_other']);
    expect(await namesOf({ pipeline_id: pipeline.id })).toEqual(['Alpha']);
    const stage_id = otherPipeline.stages[1]?.id;
    for (const scope of [{ stage_id }, { stage_id, pipeline_id: otherPipeline.id }])
      expect(await namesOf(scope)).toEqual(['Other closed']);
  });

  test.each([
    ['account.domain', 'WWW.A1.example', ['Alpha']],
    ['account_name', 'a1', ['Alpha']],
    ['contact.email', 'nobody@a1.example', []],
    ['pipeline_name', 'PARTNERS', ['Other open', 'Other closed']],
    ['stage_name', 'closed', ['Other closed']],
  ])('200: filters by %s', async (field, value, names) => {
    expect(await namesOf({ filters: [{ field, operator: 'eq', value }] })).toEqual(names);
  });

  test.each([
    ['stage_name', 'Opne', 'a stage'],
    ['stage_name', ['Open', 'Opne'], 'a stage'],
    ['outcome', 'closed', 'an outcome'],
    ['pipeline_name', 'Partner', 'a pipeline'],
    ['owner_email', 'nobody@team.example', 'a member'],
  ])(
    '400: refuses the unknown label %s %j with the known ones, in searches and summaries',
    async (field, value, noun) => {
      const operator = Array.isArray(value) ? 'in' : 'neq';
      const filters = [{ field, operator, value }];
      const { body } = await search({ filters });
      const [[path, text] = []] = Object.entries(body.errors ?? {});
      expect([path, text]).toEqual([
        operator === 'in' ? 'filters[0].value[1]' : 'filters[0].value',
        expect.stringMatching(new RegExp(`^"[^"]+" is not ${noun}; known: .+`)),
      ]);
      const summary = await gateway.client.call(summarizeOpportunities, {
        body: { filters },
        key: gateway.organization.key,
      });
      expect([summary.status, summary.body.errors]).toEqual([400, body.errors]);
    },
  );

  test('200: filters by the label and the id of an archived stage, and by a former member', async () => {
    const { id: organizationId } = gateway.organization;
    const [, dealId] = await addStages(organizationId, 'Archive', ['In use', 'Out of use']);
    const archive =
      "UPDATE stages SET is_active = false WHERE organization_id = $1 AND label = 'Out of use' RETURNING id";
    const [stage] = await gateway.database.query<{ id: string }>(organizationId, { text: archive, values: [] });
    const leave = 'UPDATE members SET is_active = false WHERE organization_id = $1 RETURNING email';
    const [member] = await gateway.database.query<{ email: string }>(organizationId, { text: leave, values: [] });
    await gateway.database.query(organizationId, {
      text: 'UPDATE organizations SET setup_version = $2 WHERE id = $1',
      values: [randomUUID()],
    });
    const idsOf = async (field: string, value: unknown) => {
      const { status, data } = await search({ filters: { field, operator: 'eq', value } });
      return [status, data.opportunities.map(({ id }) => id)];
    };
    expect(await idsOf('stage_name', 'Out of use')).toEqual([200, [dealId]]);
    expect(await idsOf('stage_id', stage?.id)).toEqual([200, [dealId]]);
    expect(await idsOf('owner_email', member?.email)).toEqual([200, []]);
  });

  test('400: refuses a malformed pipeline or stage, and fields of another pipeline, and names all other faults', async () => {
    const malformed = await search({ pipeline_id: 'x', stage_id: 7, limit: 0 });
    expect(malformed.fieldsAtFault).toEqual(['limit', 'pipeline_id', 'stage_id']);
    const filters = { field: 'of_other', operator: 'empty' };
    const ofOther = { filters, sort: 'of_other', fields: 'of_other' };
    const foreign = await search({ pipeline_id: gateway.organization.pipeline.id, ...ofOther });
    expect(foreign.fieldsAtFault).toEqual(['fields', 'filters.field', 'sort']);
  });

  test('400 and 404: answers unknown stages and pipelines alike, also those of others and whatever else is wrong', async () => {
    const { pipeline, otherPipeline } = gateway.organization;
    const { pipeline: foreign } = gateway.stranger;
    const ask = (scope: object) => search({ ...scope, sort: 'nope' });
    const [stage, other] = [foreign.stages[0]?.id, otherPipeline.stages[0]?.id];
    for (const scope of [{}, { pipeline_id: pipeline.id }]) {
      const unknown = await ask({ stage_id: unknownId, ...scope });
      expect(unknown.fieldsAtFault).toEqual(['sort', 'stage_id']);
      expect((await ask({ stage_id: stage, ...scope })).text).toBe(unknown.text);
      if ('pipeline_id' in scope) expect((await ask({ stage_id: other, ...scope })).text).toBe(unknown.text);
    }
    const unknown = await ask({ pipeline_id: unknownId });
    expect(unknown.status).toBe(404);
    expect((await ask({ pipeline_id: foreign.id })).comparable).toBe(unknown.comparable);
  });
});

describe('200: sorts deals of all pipelines by stage name', () => {
  const walk = async (body: { readonly sort: string; readonly limit: number; readonly filters: object }) => {
    const walked = await walkSearch(gateway.client, 'opportunity', body);
    return walked.map(({ id }) => id);
  };

  test('also stages that are newer than the cached setup', async () => {
    const newest = ['Äb', 'á', 'ΟΔΟΣ', 'οδοσα', 'İz', 'iy', 'zz', '𐐀', '𐐨a'];
    // A refusal reloads the setup, which the gateway then caches for a second.
    expect((await search({ stage_id: unknownId })).status).toBe(400);
    const ids = await addStages(gateway.organization.id, 'Newest', newest);
    const expected = newest
      .map((label, index) => ({ key: sortKey(label), id: ids[index] ?? '' }))
      .sort((a, b) => compareCodePoints(a.key, b.key))
      .map(({ id }) => id);
    const filters = { field: 'name', operator: 'starts_with', value: 'Newest' };
    for (const limit of [500, 4]) {
      expect(await walk({ sort: 'stage_name', limit, filters })).toEqual(expected);
      expect(await walk({ sort: 'stage_name:desc', limit, filters })).toEqual(expected.toReversed());
    }
  });
});
