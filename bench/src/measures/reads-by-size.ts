import { listPage, type PageRequest } from '@crm/db';
import type { NewMeasure } from '../harness/results.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { median } from '../harness/statistics.js';
import { measureRequest, placedRequest, type Subject } from '../query-plans/measure-shape.js';
import type { Shape } from '../query-plans/shape.js';
import { allShapes } from '../query-plans/shapes.js';
import { openSubject } from '../subject.js';

/** The number of pages per shape and size. */
const pagesOfQuick = 15;
const pagesOfFull = 60;

interface Compared {
  readonly name: string;
  readonly smallMs: number;
  readonly largeMs: number;
  readonly buffersRatio: number;
}

const timed = async ({ database }: Subject, request: PageRequest): Promise<number> => {
  const startedAtMs = performance.now();
  await listPage(database, request);
  return performance.now() - startedAtMs;
};

/** The sizes alternate page by page, so that other load on the machine affects both. */
const compare = async (small: Subject, large: Subject, shape: Shape, pages: number): Promise<Compared> => {
  const requests = [await placedRequest(small, shape), await placedRequest(large, shape)] as const;
  const costs = [
    await measureRequest(small.database, requests[0]),
    await measureRequest(large.database, requests[1]),
  ] as const;
  const smallMs: number[] = [];
  const largeMs: number[] = [];
  for (let page = 0; page < pages; page += 1) {
    smallMs.push(await timed(small, requests[0]));
    largeMs.push(await timed(large, requests[1]));
  }
  return {
    name: [shape.name, shape.place].join(' '),
    smallMs: median(smallMs),
    largeMs: median(largeMs),
    buffersRatio: costs[1].buffers / costs[0].buffers,
  };
};

/** The default order, and every order by a built-in field of opportunities. */
const isBuiltIn = ({ name, objectType, remark, words, filters }: Shape): boolean =>
  objectType === 'opportunity' &&
  (name === 'list' || name.startsWith('sort ')) &&
  [remark, words, filters].every((part) => part === undefined) &&
  !/^sort (tier|code|score|rate):/.test(name);

const worst = (compared: readonly Compared[], of: (one: Compared) => number): Compared => {
  const [first, ...others] = compared;
  if (first === undefined) throw new Error('There is no shape to compare');
  return others.reduce((found, one) => (of(one) > of(found) ? one : found), first);
};

const toMeasures = (compared: readonly Compared[], large: number): NewMeasure[] => {
  const latency = (one: Compared): number => one.largeMs / one.smallMs;
  const buffers = (one: Compared): number => one.buffersRatio;
  const against = 'against 10 thousand';
  const size = large;
  const slowest = worst(compared, latency);
  const largest = worst(compared, buffers);
  const flat = compared.filter((one) => latency(one) <= 1.25).length;
  return [
    ...compared
      .filter(({ name }) => name.startsWith('list '))
      .flatMap(({ name, smallMs, largeMs }): NewMeasure[] => [
        { id: 'S5', name: `page latency p50, ${name} page`, values: [smallMs], unit: 'ms', size: 10_000 },
        { id: 'S5', name: `page latency p50, ${name} page`, values: [largeMs], unit: 'ms', size },
      ]),
    {
      ...{ id: 'S5', name: `p50 ${against}, median of all orders and places`, unit: '×', size },
      ...{ values: [median(compared.map(latency))], target: { at: 'most', value: 1.1 } },
    },
    {
      ...{ id: 'S5', name: `p50 ${against}, the worst of them`, values: [latency(slowest)] },
      ...{
        unit: '×',
        detail: `${slowest.name}; ${flat} of ${compared.length} are within`,
        target: { at: 'most', value: 1.25 },
        size,
      },
    },
    {
      ...{ id: 'S5', name: `shared buffers ${against}, the worst of them`, values: [buffers(largest)] },
      ...{ unit: '×', detail: largest.name, target: { at: 'most', value: 1.35 }, size },
    },
  ];
};

const compareAll = async (run: Run, small: Subject, large: Subject): Promise<Compared[]> => {
  const compared: Compared[] = [];
  const shapes = allShapes(small.organization).filter(isBuiltIn);
  for (const [index, shape] of shapes.entries()) {
    const one = await compare(small, large, shape, run.isQuick ? pagesOfQuick : pagesOfFull);
    compared.push(one);
    const { name, smallMs, largeMs, buffersRatio } = one;
    const text = `${smallMs.toFixed(2)} and ${largeMs.toFixed(2)} ms, buffers ${buffersRatio.toFixed(2)} ×`;
    run.log(`  ${index + 1} of ${shapes.length}, ${name}: ${text}`);
  }
  return compared;
};

/** S5: the first, middle and last page of every built-in order, in data of two sizes. */
export const readsBySize: MeasureGroup = {
  ids: ['S5'],
  measure: async (run) => {
    const [small, large] = run.sizes;
    const subjects = [
      await openSubject(await run.server.database(small), small),
      await openSubject(await run.server.database(large), large),
    ] as const;
    try {
      run.log('Pages at two sizes');
      return toMeasures(await compareAll(run, ...subjects), large);
    } finally {
      for (const { database } of subjects) await database.close();
    }
  },
};
