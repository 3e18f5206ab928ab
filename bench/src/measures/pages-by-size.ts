import { listPage, type PageRequest } from '@crm/db';
import { type Figure, median, p99 } from '../harness/figures.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { type Comparison, compareShapes, type Subject, withSubject } from '../query-plans/measure-shape.js';
import type { Shape } from '../query-plans/shape.js';
import { allShapes } from '../query-plans/shapes.js';

/** The pages per shape and size whose time is measured. */
const timedPages = { quick: 15, full: 60, ranges: 300 };

/** The same shape for each size: some values depend on the number of deals. */
type ShapePair = readonly [small: Shape, large: Shape];
type SubjectPair = readonly [small: Subject, large: Subject];

const titleOf = ({ name, sort, place }: Shape): string => [name, sort, place].filter(Boolean).join(' ');
const bufferRatio = ({ small, large }: Comparison): number => large.buffers / small.buffers;

/** The item with the highest number. */
const highest = <T>(items: readonly T[], of: (item: T) => number): T => {
  const [first] = items.toSorted((one, other) => of(other) - of(one));
  if (first === undefined) throw new Error('There is nothing to compare');
  return first;
};

/** The times of pages in milliseconds. The subjects alternate page by page, so that other load affects all of them. */
const timesOf = async (pages: number, ...sides: readonly (readonly [Subject, PageRequest])[]): Promise<number[][]> => {
  const times = sides.map((): number[] => []);
  for (let page = 0; page < pages; page += 1) {
    for (const [side, [{ database }, request]] of sides.entries()) {
      const startedAtMs = performance.now();
      await listPage(database, request);
      times[side]?.push(performance.now() - startedAtMs);
    }
  }
  return times;
};

/** The default order, and every order by a built-in field of opportunities. */
const isBuiltIn = ({ name, objectType, remark, words, filters }: Shape): boolean =>
  objectType === 'opportunity' &&
  (name === 'list' || name.startsWith('sort ')) &&
  [remark, words, filters].every((part) => part === undefined) &&
  !/^sort (tier|code|score|rate):/.test(name);

/** S5: the first, middle and last page of every built-in order. */
const measureOrders = async (
  run: Run,
  [small, large]: SubjectPair,
  shapes: readonly ShapePair[],
): Promise<Figure[]> => {
  const pages = run.isQuick ? timedPages.quick : timedPages.full;
  const compared = [];
  for (const [smallShape, largeShape] of shapes.filter(([shape]) => isBuiltIn(shape))) {
    const comparison = await compareShapes(small, large, smallShape, largeShape);
    const sides = [
      [small, comparison.small.request],
      [large, comparison.largeFull.request],
    ] as const;
    const [smallMs = 0, largeMs = 0] = (await timesOf(pages, ...sides)).map(median);
    const name = [smallShape.name, smallShape.place].join(' ');
    compared.push({ name, smallMs, largeMs, latency: largeMs / smallMs, buffers: bufferRatio(comparison) });
    run.log(`  ${name}: ${smallMs.toFixed(2)} and ${largeMs.toFixed(2)} ms`);
  }
  const figure = { id: 'S5', unit: '×', size: run.sizes[1] };
  const slowest = highest(compared, ({ latency }) => latency);
  const largest = highest(compared, ({ buffers }) => buffers);
  const latencies = compared.map(({ latency }) => latency);
  const within = `${latencies.filter((latency) => latency <= 1.25).length} of ${compared.length} are within`;
  return [
    ...compared
      .filter(({ name }) => name.startsWith('list '))
      .flatMap(({ name, smallMs, largeMs }) => [
        { ...figure, name: `page latency p50, ${name} page`, values: [smallMs], unit: 'ms', size: run.sizes[0] },
        { ...figure, name: `page latency p50, ${name} page`, values: [largeMs], unit: 'ms' },
      ]),
    {
      ...figure,
      name: 'p50 against 10 thousand, median of all orders and places',
      values: [median(latencies)],
      atMost: 1.1,
    },
    {
      ...figure,
      name: 'p50 against 10 thousand, the worst of them',
      values: [slowest.latency],
      atMost: 1.25,
      detail: `${slowest.name}; ${within}`,
    },
    {
      ...figure,
      name: 'shared buffers against 10 thousand, the worst of them',
      values: [largest.buffers],
      atMost: 1.35,
      detail: largest.name,
    },
  ];
};

/** Whether a shape is one comparison on an indexed field that matches 50 %, 1 % or 0.01 % of the records. */
const isFilter = ({ name, objectType, filters }: Shape): boolean =>
  objectType === 'opportunity' &&
  filters !== undefined &&
  /^(tier|amount|score) (eq|in|between) (50|1|0\.01) %$/.test(name);

/**
 * Whether a shape is a range that is sorted by another field. Its pages may cost more in larger data, within a time
 * limit.
 */
const isTimed = ({ name, sort = '' }: Shape): boolean =>
  name.includes(' between ') && /^(created|updated)_at:/.test(sort);

const operators = { eq: 'one value', in: 'one of some values', between: 'a range in its own order' };

/**
 * S6: pages with one filter on an indexed field. Buffers do not depend on the machine. Only ranges that are sorted by
 * another field are timed.
 */
const measureFilters = async (
  run: Run,
  [small, large]: SubjectPair,
  shapes: readonly ShapePair[],
): Promise<Figure[]> => {
  const comparisons: Comparison[] = [];
  const timed: { readonly detail: string; readonly ms: number }[] = [];
  for (const [smallShape, largeShape] of shapes.filter(([shape]) => isFilter(shape))) {
    const comparison = await compareShapes(small, large, smallShape, largeShape);
    comparisons.push(comparison);
    const detail = titleOf(smallShape);
    run.log(`  ${detail}: ${comparison.small.buffers} and ${comparison.large.buffers} buffers`);
    if (!isTimed(smallShape)) continue;
    const [times = []] = await timesOf(timedPages.ranges, [large, comparison.largeFull.request]);
    // The first page reads from disk what the others find in memory.
    timed.push({ detail, ms: p99(times.slice(1)) });
  }
  const figure = { id: 'S6', size: run.sizes[1] };
  const slowest = highest(timed, ({ ms }) => ms);
  const scans = comparisons.filter(({ large: cost, largeFull }) =>
    [...cost.sequentialScans, ...largeFull.sequentialScans].includes('opportunities'),
  );
  const worst = Object.entries(operators).map(([operator, name]): Figure => {
    const found = comparisons.filter(({ shape }) => shape.name.split(' ')[1] === operator && !isTimed(shape));
    const most = highest(found, bufferRatio);
    return {
      ...figure,
      name: `filter for ${name}: buffers against 10 thousand, the worst`,
      values: [bufferRatio(most)],
      unit: '×',
      atMost: 1.5,
      detail: `${titleOf(most.shape)}: ${most.small.buffers} and ${most.large.buffers}`,
    };
  });
  return [
    ...worst,
    {
      ...figure,
      name: 'filter for a range, in another order: p99 of the slowest',
      values: [slowest.ms],
      unit: 'ms',
      atMost: run.sizes[1] <= 1_000_000 ? 50 : 250,
      detail: slowest.detail,
    },
    {
      ...figure,
      name: 'filters that read the whole table',
      values: [scans.length],
      unit: '',
      atMost: 0,
      detail: `of ${comparisons.length}`,
    },
  ];
};

/** S5 and S6: the cost of pages in data of two sizes, with the gateway's code for pages and without HTTP. */
export const pagesBySize: MeasureGroup = {
  ids: ['S5', 'S6'],
  measure: async (run) => {
    const [smallSize, largeSize] = run.sizes;
    const [smallUrl, largeUrl] = [await run.server.database(smallSize), await run.server.database(largeSize)];
    return withSubject(smallUrl, smallSize, (small) =>
      withSubject(largeUrl, largeSize, async (large) => {
        const largeShapes = allShapes(large.organization);
        const shapes = allShapes(small.organization).map(
          (shape, index) => [shape, largeShapes[index] ?? shape] as const,
        );
        return [
          ...(run.wants('S5') ? await measureOrders(run, [small, large], shapes) : []),
          ...(run.wants('S6') ? await measureFilters(run, [small, large], shapes) : []),
        ];
      }),
    );
  },
};
