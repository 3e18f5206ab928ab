import { listOpportunities } from '@crm/contract';
import type { TestClient } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { copyRecord } from './support/bulk-rows.js';
import { cursorSecret, startTestGateway, useGateway } from './support/gateway.js';

const total = 601;
const inStage = 10;

const gateway = useGateway(startTestGateway);
/** Every deal of the pipeline, newest first. */
let expected: readonly string[];
/** The deals of its last stage, newest first. */
let staged: readonly string[];

const lastStage = () => gateway.organization.pipeline.stages[2]?.id ?? '';

beforeAll(async () => {
  const { database, organization, records } = gateway;
  const { addDeals } = records();
  const [id = ''] = await addDeals([{ name: 'Template' }]);
  // Half of the deals were created at the same instant, as after an import.
  const created_at = `t.created_at - CASE WHEN n % 2 = 0 THEN 1 ELSE n END * interval '1 minute'`;
  const columns = { name: `'Deal ' || n`, normalized_name: `'deal ' || n`, created_at };
  await copyRecord(database, organization.id, { objectType: 'opportunity', id, count: total - inStage - 1, columns });
  const names = Array.from({ length: inStage }, (_, index) => ({ name: `Staged ${index}`, stageId: lastStage() }));
  staged = (await addDeals(names)).reverse();
  const text = 'SELECT id FROM opportunities WHERE organization_id = $1 ORDER BY created_at DESC, id DESC';
  const rows = await database.query<{ id: string }>(organization.id, { text, values: [] });
  expected = rows.map((row) => row.id);
});

type Query = Readonly<Record<string, string | number>>;

const page = async (query: Query, client: TestClient = gateway.client) => {
  const answer = await client.call(listOpportunities, {
    query: { pipeline_id: gateway.organization.pipeline.id, ...query },
  });
  return { answer, data: answer.data, ids: answer.data.opportunities.map(({ id }) => id) };
};
const cursorAfter = async (query: Query, client?: TestClient): Promise<string> =>
  (await page(query, client)).data.next_cursor ?? '';

describe('200: pages', () => {
  test.each([
    [{}, 100],
    [{ limit: 500 }, 500],
    [{ limit: 37 }, 37],
  ])('list each deal once, in order, with %j and pages of %d', async (query, size) => {
    const pages: string[][] = [];
    let cursor = '';
    do {
      const { data, ids } = await page({ ...query, cursor });
      expect([data.limit, data.has_more]).toEqual([size, data.next_cursor !== null]);
      pages.push(ids);
      cursor = data.next_cursor ?? '';
    } while (cursor !== '');
    expect(pages.flat()).toEqual(expected);
    expect(expected).toHaveLength(total);
    expect(pages.slice(0, -1).every(({ length }) => length === size)).toBe(true);
  });

  test.each([
    [inStage + 1, false],
    [inStage, false],
    [inStage - 1, true],
  ])('of %i say whether one of ten deals is left: %s', async (limit, hasMore) => {
    for (const scope of [{ stage_id: lastStage() }, { q: 'staged' }]) {
      const { data, ids } = await page({ ...scope, limit });
      expect([data.has_more, ids]).toEqual([hasMore, staged.slice(0, limit)]);
      if (hasMore)
        expect((await page({ ...scope, limit, cursor: data.next_cursor ?? '' })).ids).toEqual(staged.slice(-1));
    }
  });

  test('are the same each time for a cursor, whatever the fields and however the limit was requested', async () => {
    const cursor = await cursorAfter({ limit: 100 });
    const again = await page({ limit: 100, cursor });
    expect(again.answer.text).toBe((await page({ cursor })).answer.text);
    expect((await page({ cursor, fields: 'amount' })).ids).toEqual(expected.slice(100, 200));
  });
});

describe('200: cursors', () => {
  test('stay valid when their deal is deleted, and neither repeat nor skip a deal when deals are added', async () => {
    const { data, ids } = await page({ stage_id: lastStage(), limit: 4 });
    await gateway.records().addDeals([{ name: 'Meanwhile', stageId: lastStage() }]);
    await gateway.database.query(gateway.organization.id, {
      text: 'DELETE FROM opportunities WHERE organization_id = $1 AND id = $2',
      values: [ids.at(-1)],
    });
    const rest = await page({ stage_id: lastStage(), limit: 4, cursor: data.next_cursor ?? '' });
    expect(rest.ids).toEqual(staged.slice(4, 8));
  });

  test('are valid in another gateway, and while the secret is being replaced', async () => {
    const newSecret = 'another secret of the tests';
    const startWith = async (secrets: string) =>
      (await gateway.start({ environment: { CURSOR_SECRETS: secrets } })).client;
    const isAccepted = async (client: TestClient, cursor: string): Promise<boolean> => {
      const query = { pipeline_id: gateway.organization.pipeline.id, limit: 5, cursor };
      const answer = await client.call(listOpportunities, { query });
      if (answer.status !== 200) expect(answer.fieldsAtFault).toEqual(['cursor']);
      return answer.status === 200;
    };
    const cursor = await cursorAfter({ limit: 5 });
    const both = await startWith(`${newSecret},${cursorSecret}`);
    const onlyNew = await startWith(newSecret);
    const signedAnew = await cursorAfter({ limit: 5 }, both);
    for (const [client, old, fresh] of [
      [gateway.client, true, false],
      [both, true, true],
      [onlyNew, false, true],
    ] as const) {
      expect([await isAccepted(client, cursor), await isAccepted(client, signedAnew)]).toEqual([old, fresh]);
    }
  });
});
