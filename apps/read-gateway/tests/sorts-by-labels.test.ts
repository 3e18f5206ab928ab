import * as contracts from '@crm/contract';
import { administration } from '@crm/db';
import { compareCodePoints, sortKey } from '@crm/domain';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;

/** Two pipelines share a label. Two labels differ only in case. One is beyond the BMP, where UTF-16 and code-point order differ. */
const labels = [
  ['Beta', 'alpha', '\u{1F600}'],
  ['beta', '\uFF5E', 'Alpha'],
];

/** The normalized labels in code-point order, without nulls. */
const inOrder = ['alpha', 'beta', '\uFF5E', '\u{1F600}'];

beforeAll(async () => {
  gateway = await startTestGateway();
  const { addDeals } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  const { createPipeline } = administration(gateway.database);
  const organizationId = gateway.organization.id;
  const pipelines = [];
  for (const [index, stages] of labels.entries()) {
    const input = { organizationId, name: `Labelled ${index}`, stages: stages.map((label) => ({ label })) };
    pipelines.push(await createPipeline(input));
  }
  const { rows } = await gateway.database.pool.query<{ id: string; pipeline_id: string; label: string }>(
    'SELECT id, pipeline_id, label FROM stages WHERE organization_id = $1 AND pipeline_id = ANY ($2) ORDER BY pipeline_id, position',
    [organizationId, pipelines.map(({ id }) => id)],
  );
  // Deals with the same label are far apart in time, and alternate between the pipelines.
  for (let round = 0; round < 3; round += 1) {
    await addDeals(
      rows.map(({ id, pipeline_id: pipelineId, label }) => ({ name: `${label} ${round}`, pipelineId, stageId: id })),
    );
  }
});
afterAll(() => gateway.stop());

const search = async (body: object) => (await gateway.client.call(contracts.searchOpportunities, { body })).data;

/** The labels and ids of a whole walk. */
const walk = async (body: object): Promise<{ readonly labels: (string | null)[]; readonly ids: string[] }> => {
  let page = await search(body);
  const records = [...page.opportunities];
  while (page.next_cursor !== null) {
    page = await search({ ...body, cursor: page.next_cursor });
    records.push(...page.opportunities);
  }
  return {
    labels: records.map(({ stage_name: label }) => label?.toLowerCase() ?? null),
    ids: records.map(({ id }) => id),
  };
};

describe('200: sorts deals of all pipelines by stage name', () => {
  test.each([1, 2, 5, 500])('in pages of %i', async (limit) => {
    const isMine = { field: 'stage_name', operator: 'in', value: ['alpha', 'beta', '\uFF5E', '\u{1F600}'] };
    const up = await walk({ sort: 'stage_name', limit, filters: isMine });
    const down = await walk({ sort: 'stage_name:desc', limit, filters: isMine });
    expect(up.ids.length).toBe(18);
    expect(new Set(up.ids).size).toBe(18);
    expect(up.labels.filter((label, index) => label !== up.labels[index - 1])).toEqual(inOrder);
    expect(down.ids).toEqual([...up.ids].reverse());
    const byId = [...up.ids.slice(0, 6)].sort();
    expect(up.ids.slice(0, 6)).toEqual(byId);
  });

  test('without a filter, and with a filter that keeps some deals of a label', async () => {
    const all = await walk({ sort: 'stage_name:desc', limit: 4 });
    expect(all.labels.filter((label, index) => label !== all.labels[index - 1]).slice(0, 2)).toEqual([
      '\u{1F600}',
      '\uFF5E',
    ]);
    const named = { field: 'name', operator: 'ends_with', value: ' 1' };
    const some = await walk({ sort: 'stage_name:desc', limit: 2, filters: named });
    expect(some.labels).toEqual(['\u{1F600}', '\uFF5E', 'beta', 'beta', 'alpha', 'alpha']);
    expect(
      (await walk({ sort: 'stage_name', filters: { field: 'stage_name', operator: 'in', value: ['none'] } })).ids,
    ).toEqual([]);
  });
});

describe('200: stages that are newer than the cached setup', () => {
  const newest = ['Äb', 'á', 'ΟΔΟΣ', 'οδοσα', 'İz', 'iy', 'zz', '𐐀', '𐐨a'];
  const named = { field: 'name', operator: 'starts_with', value: 'Newest' };

  test.each([
    ['alone', { limit: 500 }],
    ['in short pages', { limit: 1 }],
    ['with a filter', { limit: 500, filters: named }],
  ])('are sorted by name like all others, %s', async (about, body) => {
    const { addDeals } = recordsOf(
      () => gateway.database,
      () => gateway.organization,
    );
    const { createPipeline } = administration(gateway.database);
    const organizationId = gateway.organization.id;
    // A refusal reloads the setup, which the gateway then caches for a second.
    const unknown = { stage_id: '00000000-0000-4000-8000-000000000000' };
    expect((await gateway.client.call(contracts.searchOpportunities, { body: unknown })).status).toBe(400);
    const stages = newest.map((label) => ({ label }));
    const { id: pipelineId } = await createPipeline({ organizationId, name: `Newest ${about}`, stages });
    const { rows } = await gateway.database.pool.query<{ id: string }>(
      'SELECT id FROM stages WHERE organization_id = $1 AND pipeline_id = $2 ORDER BY position',
      [organizationId, pipelineId],
    );
    const ids = await addDeals(
      rows.map(({ id }, index) => ({ name: `Newest ${about} ${newest[index] ?? ''}`, pipelineId, stageId: id })),
    );
    const inOrder = newest
      .map((label, index) => ({ key: sortKey(label), id: ids[index] ?? '' }))
      .sort((a, b) => compareCodePoints(a.key, b.key))
      .map(({ id }) => id);
    for (const [direction, expected] of [
      ['asc', inOrder],
      ['desc', [...inOrder].reverse()],
    ] as const) {
      const walked = await walk({ sort: { field: 'stage_name', direction }, ...body });
      expect(walked.ids.filter((id) => ids.includes(id))).toEqual(expected);
    }
  });
});
