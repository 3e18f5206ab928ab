import { listOpportunities } from '@crm/contract';
import type { TestClient, TestOrganization } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { cursorSecret, startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

const total = 1_201;
const inStage = 10;

let gateway: TestGateway;
/** Every deal of the pipeline, newest first. */
let expected: string[];
/** The deals of its last stage, newest first. */
let staged: string[];

beforeAll(async () => {
  gateway = await startTestGateway();
  const { addDeals } = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  await addDeals(
    Array.from({ length: total - inStage }, (_, i) => ({ name: `Deal ${i}` })),
    10,
  );
  staged = (
    await addDeals(Array.from({ length: inStage }, (_, i) => ({ name: `Staged ${i}`, stageId: lastStage() })))
  ).reverse();
  // Half of the deals were created at the same instant, as after an import.
  await gateway.database.query(gateway.organization.id, {
    text: `UPDATE opportunities SET created_at = (SELECT min(created_at) FROM opportunities WHERE organization_id = $1)
            WHERE organization_id = $1 AND name LIKE 'Deal %' AND name < 'Deal 5'`,
    values: [],
  });
  const rows = await gateway.database.query<{ id: string }>(gateway.organization.id, {
    text: 'SELECT id FROM opportunities WHERE organization_id = $1 ORDER BY created_at DESC, id DESC',
    values: [],
  });
  expected = rows.map(({ id }) => id);
  const { pipeline } = gateway.stranger;
  await recordsOf(
    () => gateway.database,
    () => gateway.stranger,
  ).addDeals(['1', '2', '3'].map((name) => ({ name, pipelineId: pipeline.id })));
});
afterAll(() => gateway.stop());

const lastStage = () => gateway.organization.pipeline.stages[2]?.id ?? '';

type Query = Readonly<Record<string, string | number>>;

const page = (query: Query, client: TestClient = gateway.client, owner: TestOrganization = gateway.organization) =>
  client.call(listOpportunities, { query: { pipeline_id: owner.pipeline.id, ...query } });

/** Follows the cursors to the end and returns the ids of every page. */
const walk = async (query: Query): Promise<string[][]> => {
  const pages: string[][] = [];
  let cursor: string | null = null;
  do {
    const { data } = await page({ ...query, ...(cursor === null ? {} : { cursor }) });
    expect(data.has_more).toBe(data.next_cursor !== null);
    pages.push(data.opportunities.map(({ id }) => id));
    cursor = data.next_cursor;
  } while (cursor !== null);
  return pages;
};

const cursorAfter = async (query: Query, client?: TestClient): Promise<string> => {
  const { data } = await page(query, client);
  if (data.next_cursor === null) throw new Error('the page was the last one');
  return data.next_cursor;
};

describe('200: pages', () => {
  test.each([
    [{}, 100],
    [{ limit: 100 }, 100],
    [{ limit: 500 }, 500],
    [{ limit: 37 }, 37],
  ])('list each of 1,201 deals once, in order, with %j and pages of %d', async (query, size) => {
    const pages = await walk(query);
    expect(pages.flat()).toEqual(expected);
    expect(pages.slice(0, -1).every(({ length }) => length === size)).toBe(true);
    expect((await page(query)).data.limit).toBe(size);
  });

  test('show each deal once with one deal per page', async () => {
    expect(await walk({ limit: 1, stage_id: lastStage() })).toEqual(staged.map((id) => [id]));
  });

  test('contain only matches of q', async () => {
    const pages = await walk({ limit: 3, q: 'staged' });
    expect(pages.flat()).toEqual(staged);
  });

  test('set has_more to false if the page ends with the last deal', async () => {
    for (const limit of [inStage, inStage + 1]) {
      const { data } = await page({ stage_id: lastStage(), limit });
      expect(data).toMatchObject({ has_more: false, next_cursor: null, limit });
      expect(data.opportunities).toHaveLength(inStage);
    }
  });

  test('set has_more to true if one deal is left', async () => {
    const { data } = await page({ stage_id: lastStage(), limit: inStage - 1 });
    expect(data.has_more).toBe(true);
    const rest = await page({ stage_id: lastStage(), limit: inStage - 1, cursor: data.next_cursor ?? '' });
    expect(rest.data.opportunities.map(({ id }) => id)).toEqual(staged.slice(-1));
    expect(rest.data).toMatchObject({ has_more: false, next_cursor: null });
  });

  test('are the same each time for a cursor', async () => {
    const cursor = await cursorAfter({ limit: 5 });
    const [first, second] = [await page({ limit: 5, cursor }), await page({ limit: 5, cursor })];
    expect(second.text).toBe(first.text);
  });
});

describe('200: cursors', () => {
  test('do not depend on fields', async () => {
    const cursor = await cursorAfter({ limit: 5 });
    const answer = await page({ limit: 5, cursor, fields: 'amount,created_at' });
    expect(answer.status).toBe(200);
    expect(answer.data.opportunities.map(({ id }) => id)).toEqual(expected.slice(5, 10));
  });

  test('depend on the effective limit, however it was requested', async () => {
    const cursor = await cursorAfter({});
    expect((await page({ limit: 100, cursor })).status).toBe(200);
  });

  test('stay valid when their deal is deleted', async () => {
    const { data } = await page({ stage_id: lastStage(), limit: 4 });
    const anchor = data.opportunities.at(-1)?.id;
    await gateway.database.query(gateway.organization.id, {
      text: 'DELETE FROM opportunities WHERE organization_id = $1 AND id = $2',
      values: [anchor],
    });
    const rest = await page({ stage_id: lastStage(), limit: 4, cursor: data.next_cursor ?? '' });
    expect(rest.data.opportunities.map(({ id }) => id)).toEqual(staged.slice(4, 8));
    staged = staged.filter((id) => id !== anchor);
    expected = expected.filter((id) => id !== anchor);
  });

  test('neither repeat nor skip a deal when deals are added meanwhile', async () => {
    const first = await page({ limit: 500 });
    await recordsOf(
      () => gateway.database,
      () => gateway.organization,
    ).addDeals([{ name: 'Meanwhile', pipelineId: gateway.organization.pipeline.id }]);
    const second = await page({ limit: 500, cursor: first.data.next_cursor ?? '' });
    expect(second.data.opportunities.map(({ id }) => id)).toEqual(expected.slice(500, 1_000));
  });

  test('are valid in another process, after a restart, and while the secret is being replaced', async () => {
    const cursor = await cursorAfter({ limit: 5 });
    const newSecret = 'another secret of the tests';
    for (const secrets of [cursorSecret, `${newSecret},${cursorSecret}`]) {
      const { client, stop } = await gateway.startProcess({ CURSOR_SECRETS: secrets });
      const answer = await page({ limit: 5, cursor }, client);
      expect(answer.status).toBe(200);
      expect(await stop()).toBe(0);
    }
    const replaced = await gateway.startAnother({ CURSOR_SECRETS: `${newSecret},${cursorSecret}` });
    const signedAnew = await cursorAfter({ limit: 5 }, replaced);
    expect((await page({ limit: 5, cursor: signedAnew })).fieldsAtFault).toEqual(['cursor']);
    const withoutOld = await gateway.startAnother({ CURSOR_SECRETS: newSecret });
    expect((await page({ limit: 5, cursor: signedAnew }, withoutOld)).status).toBe(200);
    expect((await page({ limit: 5, cursor }, withoutOld)).fieldsAtFault).toEqual(['cursor']);
  });
});

describe('400: cursors', () => {
  const bound = () => ({ limit: 2, stage_id: lastStage(), q: 'staged' });

  test('the cursor of these tests is valid if nothing changes', async () => {
    expect((await page({ ...bound(), cursor: await cursorAfter(bound()) })).status).toBe(200);
  });

  test.each<[string, () => Query]>([
    ['another limit', () => ({ ...bound(), limit: 3 })],
    ['no limit', () => ({ stage_id: lastStage(), q: 'staged' })],
    ['another stage', () => ({ ...bound(), stage_id: gateway.organization.pipeline.stages[1]?.id ?? '' })],
    ['no stage', () => ({ limit: 2, q: 'staged' })],
    ['another query', () => ({ ...bound(), q: 'deal' })],
    ['more of a query', () => ({ ...bound(), q: 'staged 1' })],
    ['no query', () => ({ limit: 2, stage_id: lastStage() })],
    ['another pipeline', () => ({ limit: 2, q: 'staged', pipeline_id: gateway.organization.otherPipeline.id })],
  ])('refuses the cursor with %s', async (_about, change) => {
    const answer = await page({ ...change(), cursor: await cursorAfter(bound()) });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['cursor']);
  });

  test('refuses every changed, missing or added character, all with the same bytes', async () => {
    const cursor = await cursorAfter({ limit: 2 });
    const answers = new Set<string>();
    for (let i = 0; i < cursor.length; i++) {
      const other = cursor[i] === 'A' ? 'B' : 'A';
      answers.add((await page({ limit: 2, cursor: cursor.slice(0, i) + other + cursor.slice(i + 1) })).comparable);
    }
    for (const text of [
      cursor.slice(0, -1),
      `${cursor}A`,
      `${cursor}=`,
      ` ${cursor}`,
      `${cursor}\n`,
      cursor.slice(1),
    ]) {
      answers.add((await page({ limit: 2, cursor: text })).comparable);
    }
    expect([...answers]).toHaveLength(1);
    expect([...answers][0]).toContain('"errors\\":{\\"cursor\\"');
  });

  test('refuses a cursor of another organization', async () => {
    const { stranger } = gateway;
    const foreign = (await page({ limit: 2 }, gateway.clientOf(stranger), stranger)).data.next_cursor ?? '';
    expect((await page({ limit: 2, cursor: foreign }, gateway.clientOf(stranger), stranger)).status).toBe(200);
    expect((await page({ limit: 2, cursor: foreign })).fieldsAtFault).toEqual(['cursor']);
  });

  test('refuses a cursor of another organization even if both have a pipeline with the same id', async () => {
    const { stranger, organization } = gateway;
    const { id } = organization.pipeline;
    await gateway.database.query(stranger.id, {
      text: `INSERT INTO pipelines (organization_id, id, name, position) VALUES ($1, $2, 'Same id', 9)`,
      values: [id],
    });
    await recordsOf(
      () => gateway.database,
      () => stranger,
    ).addDeals(['1', '2', '3'].map((name) => ({ name, pipelineId: id })));
    const foreign = await page({ limit: 2, pipeline_id: id }, gateway.clientOf(stranger));
    expect(foreign.data.opportunities).toHaveLength(2);
    const answer = await page({ limit: 2, cursor: foreign.data.next_cursor ?? '' });
    expect(answer.status).toBe(400);
    expect(answer.fieldsAtFault).toEqual(['cursor']);
  });
});
