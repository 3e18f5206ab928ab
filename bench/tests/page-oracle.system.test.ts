import { listPage, type Page, parsePage } from '@crm/db';
import { type CursorPosition, matchesFilter } from '@crm/domain';
import { type TestDatabase, testSize } from '@crm/testing';
import { createMigratedDatabase } from '@crm/testing/suites';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createDataset } from '../src/dataset.js';
import { organizationLayout } from '../src/dataset/layout.js';
import { openSubject, requestOf, type Subject } from '../src/query-plans/measure-shape.js';
import type { Shape } from '../src/query-plans/shape.js';

/** Enough deals that some ranges match more and some fewer than the 2,000 records up to which all matches are sorted. */
const opportunities = 6_000;
const organization = organizationLayout(1, opportunities);
const cases = testSize({ short: 60, soak: 3_000 });
const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));

let testDatabase: TestDatabase;
let subject: Subject;
let deals: readonly Deal[];
/** The number of statements per step of a plan. Each statement starts with the name of its step in a comment. */
const steps = new Map<string, number>();

/** A deal as stored in the table, with instants and numbers as numbers. */
type Deal = Readonly<Record<string, string | number | null>> & { readonly id: string };

/** Mulberry32: pseudo-random numbers from 0 to 1, the same for the same seed. */
const numbersOf = (state: number) => (): number => {
  state = (state + 0x6d2b79f5) | 0;
  let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

/**
 * Thousands of deals at one instant, and others at a changing rate. Steps that estimate from the rate of records must
 * still be correct.
 */
const unevenSql = `
  UPDATE opportunities o SET
    created_at = CASE n % 3000 / 1000 WHEN 0 THEN date_trunc('month', o.created_at) WHEN 1 THEN o.created_at ELSE o.created_at - (n % 1000) * interval '9 days' END,
    updated_at = CASE WHEN n > 5200 THEN o.updated_at + interval '20 years' WHEN n % 2 = 0 THEN date_trunc('week', o.updated_at) ELSE o.updated_at END
   FROM (SELECT id, row_number() OVER (ORDER BY id) AS n FROM opportunities WHERE organization_id = $1) x
  WHERE o.organization_id = $1 AND o.id = x.id`;

const dealsSql = `
  SELECT id, pipeline_id, amount::float8 AS amount, close_date::float8 AS close_date, text_1 AS tier, text_3 AS region, text_4 AS due,
         number_1 AS score, number_3 AS stars, number_4 AS flag,
         round(extract(epoch FROM created_at) * 1000)::float8 AS created_at, round(extract(epoch FROM updated_at) * 1000)::float8 AS updated_at
    FROM opportunities WHERE organization_id = $1`;

beforeAll(async () => {
  process.stdout.write(`page oracle: FC_SEED=${seed}\n`);
  testDatabase = await createMigratedDatabase();
  await createDataset(testDatabase.url, { opportunities });
  const opened = await openSubject(testDatabase.url, opportunities);
  const { database } = opened;
  await database.query(organization.id, { text: unevenSql, values: [] });
  await database.pool.query('VACUUM (ANALYZE) opportunities');
  deals = await database.query<Deal>(organization.id, { text: dealsSql, values: [] });
  const query: typeof database.query = (organizationId, statement) => {
    for (const [, step = ''] of statement.text.matchAll(/\/\* ([\w-]+) \*\//g))
      steps.set(step, (steps.get(step) ?? 0) + 1);
    return database.query(organizationId, statement);
  };
  subject = { ...opened, database: { ...database, query } };
}, 240_000);
afterAll(async () => {
  await subject.database.close();
  await testDatabase.drop();
});

type Draw = () => number;

const pick = <T>(draw: Draw, items: readonly T[]): T => {
  const item = items[Math.floor(draw() * items.length)];
  if (item === undefined) throw new Error('There is nothing to pick');
  return item;
};

const ranged = ['amount', 'close_date', 'due', 'score', 'stars', 'created_at', 'updated_at'] as const;

/** A random range between two values of deals, usually narrow and sometimes open on one side. */
const drawRange = (draw: Draw): object => {
  const field = pick(draw, ranged);
  const values = deals.map((deal) => deal[field] ?? null).filter((value) => value !== null);
  values.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const at = draw();
  const width = pick(draw, [0.0005, 0.01, 0.05, 0.5]);
  const valueAt = (share: number) => values[Math.min(values.length - 1, Math.floor(share * values.length))];
  return pick(draw, [
    { field, operator: 'between', value: [valueAt(at), valueAt(Math.min(1, at + width))] },
    { field, operator: 'gte', value: valueAt(1 - width) },
    { field, operator: 'lt', value: valueAt(width) },
  ]);
};

const drawList = (draw: Draw): object =>
  pick(draw, [
    { field: 'tier', operator: 'in', value: ['zinc', 'iron', 'silver', 'iron'].slice(Math.floor(draw() * 3)) },
    { field: 'stars', operator: 'in', value: [5, 1, 3].slice(Math.floor(draw() * 3)) },
    { field: 'region', operator: 'in', value: ['EMEA', 'americas', 'Средняя Азия', 'nowhere', 'Asien-Pazifik'] },
  ]);

const drawShape = (draw: Draw): Shape => {
  const filters = pick(draw, [
    () => drawRange(draw),
    () => ({ and: [drawRange(draw), drawRange(draw)] }),
    () => ({ and: [drawRange(draw), { field: 'flag', operator: 'eq', value: draw() < 0.5 }] }),
    () => drawList(draw),
    () => null,
  ])();
  const fields = ['created_at', 'updated_at', 'tier', 'score', 'stars', 'due'];
  const sort = `${pick(draw, [...fields, 'created_at', 'updated_at'])}:${pick(draw, ['asc', 'desc'])}`;
  const pipelineId = draw() < 0.7 ? organization.pipelineIds[0] : null;
  const common = { name: 'drawn', objectType: 'opportunity', sort, statements: 9 } as const;
  return { ...common, ...(filters === null ? {} : { filters }), ...(pipelineId === null ? { pipelineId } : {}) };
};

/** A range that matches more than 2,000 records. */
const wideRange: Shape = {
  ...{ name: 'wide', objectType: 'opportunity', sort: 'updated_at:desc', statements: 9 },
  filters: { field: 'score', operator: 'gte', value: 0 },
};

const compare = (a: string | number | null, b: string | number | null, sign: number): number => {
  if (a === null || b === null) return a === b ? 0 : a === null ? 1 : -1;
  return a < b ? -sign : a > b ? sign : 0;
};

/** The ids of the deals that match a shape, in order, found by sorting all deals. */
const expectedOf = (shape: Shape): readonly string[] => {
  const [field = '', direction] = (shape.sort ?? '').split(':');
  const sign = direction === 'asc' ? 1 : -1;
  const { filters, pipelineId } = requestOf(subject, shape, 1);
  const keys = [...new Set([field, 'created_at', 'id'])];
  const order = (a: Deal, b: Deal): number =>
    keys.reduce((found, key) => (found === 0 ? compare(a[key] ?? null, b[key] ?? null, sign) : found), 0);
  const sorted = deals.filter((deal) => pipelineId === null || deal['pipeline_id'] === pipelineId).sort(order);
  const isMatch = (deal: Deal): boolean =>
    filters === null ||
    matchesFilter(filters, (ref) => {
      const name = ref.source === 'custom' ? ref.definition.slug : ref.source === 'system' ? ref.field.name : '';
      return deal[name] ?? null;
    });
  return sorted.filter(isMatch).map(({ id }) => id);
};

/** The ids of the first pages, and whether the last of these pages is the last of all. */
const walkedIds = async (shape: Shape, limit: number, pages: number): Promise<{ ids: string[]; isEnded: boolean }> => {
  const ids: string[] = [];
  let position: CursorPosition | null = null;
  for (let page = 1; page <= pages; page += 1) {
    const page: Page = await listPage(subject.database, {
      ...requestOf(subject, shape, limit),
      position,
    });
    ids.push(...parsePage(page).map((record) => (record as Deal).id));
    position = page.nextPosition;
    if (position === null) return { ids, isEnded: true };
  }
  return { ids, isEnded: false };
};

test('pages of ranges, lists and sorts equal a sort of all records, for every plan', async () => {
  const draw = numbersOf(seed);
  for (let index = 0; index < cases; index += 1) {
    const shape = index === 0 ? wideRange : drawShape(draw);
    const expected = expectedOf(shape);
    // If a page ends with the last match, there is no next page.
    const all = Math.min(500, Math.max(1, expected.length));
    const limit = pick(draw, [7, 50, 500, all]);
    const pages = limit === 500 ? 20 : 4;
    const { ids, isEnded } = await walkedIds(shape, limit, pages);
    const about = JSON.stringify({ index, shape, limit });
    expect([about, ids]).toEqual([about, expected.slice(0, ids.length)]);
    expect([about, isEnded]).toEqual([about, ids.length === expected.length]);
  }
  process.stdout.write(`page oracle: ${JSON.stringify(Object.fromEntries(steps))}\n`);
  const expected = ['in-order', 'union-values', 'scan-next', 'sort-few', 'sort-matches'];
  expect([...steps.keys()]).toEqual(expect.arrayContaining(expected));
}, 1_200_000);
