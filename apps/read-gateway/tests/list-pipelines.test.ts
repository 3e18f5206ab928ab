import { listPipelines as contract } from '@crm/contract';
import { administration } from '@crm/db';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';

let gateway: TestGateway;

beforeAll(async () => {
  gateway = await startTestGateway();
});
afterAll(() => gateway.stop());

const list = async (query = '') => (await gateway.client.call(contract, { query })).data;

describe('200', () => {
  test('returns the pipelines in order, with id, name and creation time', async () => {
    const { pipelines, ...page } = await list();
    expect(page).toEqual({ has_more: false, next_cursor: null, limit: 100 });
    const { pipeline, otherPipeline } = gateway.organization;
    expect(pipelines).toEqual([
      { pipeline_id: pipeline.id, name: 'Sales', is_active: true, created_at: expect.any(String) },
      { pipeline_id: otherPipeline.id, name: 'Partners', is_active: true, created_at: expect.any(String) },
    ]);
    expect(Date.now() - Date.parse(pipelines[0]?.created_at ?? '')).toBeLessThan(60_000);
  });

  test('returns none for an organization without pipelines', async () => {
    const fresh = await gateway.createOrganization();
    await gateway.database.prisma.stage.deleteMany({ where: { organizationId: fresh.id } });
    await gateway.database.prisma.pipeline.deleteMany({ where: { organizationId: fresh.id } });
    expect((await gateway.clientOf(fresh).call(contract)).data.pipelines).toEqual([]);
  });

  test('shows each pipeline once in pages of any size, even if others are created meanwhile', async () => {
    const fresh = await gateway.createOrganization();
    const { createPipeline } = administration(gateway.database);
    for (let index = 0; index < 5; index += 1) {
      await createPipeline({ organizationId: fresh.id, name: `Pipeline ${index}`, stages: [] });
    }
    const client = gateway.clientOf(fresh);
    const names: string[] = [];
    let cursor = '';
    do {
      const { data } = await client.call(contract, { query: { limit: 2, cursor } });
      expect(data.has_more).toBe(data.next_cursor !== null);
      names.push(...data.pipelines.map(({ name }) => name));
      if (cursor === '') await createPipeline({ organizationId: fresh.id, name: 'Late', stages: [] });
      cursor = data.next_cursor ?? '';
    } while (cursor !== '');
    const expected = ['Sales', 'Partners', ...Array.from({ length: 5 }, (_, index) => `Pipeline ${index}`)];
    expect(names.filter((name) => name !== 'Late')).toEqual(expected);
  });
});

describe('400', () => {
  test.each(['limit=0', 'limit=501', 'limit=', 'cursor=x', 'q=a', 'sort=name'])(
    'refuses %s and names the parameter',
    async (query) => {
      const answer = await gateway.client.call(contract, { query });
      expect(answer.status).toBe(400);
      expect(answer.fieldsAtFault).toEqual([query.slice(0, query.indexOf('='))]);
    },
  );

  test('refuses a cursor of another limit or organization', async () => {
    const cursor = (await list('limit=1')).next_cursor ?? '';
    const query = { limit: 1, cursor };
    expect((await gateway.client.call(contract, { query })).status).toBe(200);
    expect((await gateway.client.call(contract, { query: { ...query, limit: 2 } })).fieldsAtFault).toEqual(['cursor']);
    const ofOther = await gateway.clientOf(gateway.stranger).call(contract, { query });
    expect(ofOther.fieldsAtFault).toEqual(['cursor']);
  });
});
