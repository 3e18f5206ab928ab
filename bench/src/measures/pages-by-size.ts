import { listPage } from '@crm/db';
import { type Figure, median, p99 } from '../harness/figures.js';
import type { MeasureGroup, Run } from '../harness/run.js';
import { placedRequest, type Subject, withSubject } from '../query-plans/measure-shape.js';
import type { Shape } from '../query-plans/shape.js';
import { allShapes } from '../query-plans/shapes.js';

/** The pages per shape and size whose time is measured. */
const timedPages = { quick: 15, full: 60, ranges: 300 };

/** The item with the highest number. */
const highest = <T>(items: readonly T[], of: (item: T) => number): T => {
  const [first] = items.toSorted((one, other) => of(other) - of(one));
  if (first === undefined) throw new Error('There is nothing to compare');
  return first;
};

/** Prepares the page of a shape. @returns a function that reads it and returns the milliseconds */
const timedPage = async (subject: Subject, shape: Shape): Promise<() => Promise<number>> => {
  const request = await placedRequest(subject, shape);
  return async () => {
    const startedAtMs = performance.now();
    await listPage(subject.database, request);
    return performance.now() - startedAtMs;
  };
};

/** The default order, and every order by a built-in field of opportunities. They are the same in data of all sizes. */
const isBuiltIn = ({ name, objectType, remark, words, filters }: Shape): boolean =>
  objectType === 'opportunity' &&
  (name === 'list' || name.startsWith('sort ')) &&
  [remark, words, filters].every((part) => part === undefined) &&
  !/^sort (tier|code|score|rate):/.test(name);

/** S5: the first, middle and last page of every built-in order. */
const measureOrders = async (run: Run, small: Subject, large: Subject): Promise<Figure[]> => {
  const pages = run.isQuick ? timedPages.quick : timedPages.full;
  const compared = [];
  for (const shape of allShapes(large.organization).filter(isBuiltIn)) {
    const readSmall = await timedPage(small, shape);
    const readLarge = await timedPage(large, shape);
    const times: { readonly small: number[]; readonly large: number[] } = { small: [], large: [] };
    // The sizes alternate page by page, so that other load affects both.
    for (let page = 0; page < pages; page += 1) {
      times.small.push(await readSmall());
      times.large.push(await readLarge());
    }
    const name = `${shape.name} ${shape.place}`;
    const smallMs = median(times.small);
    const largeMs = median(times.large);
    compared.push({ name, smallMs, largeMs, ratio: largeMs / smallMs });
    run.log(`  ${name}: ${smallMs.toFixed(2)} and ${largeMs.toFixed(2)} ms`);
  }
  const [smallSize, size] = run.sizes;
  const slowest = highest(compared, ({ ratio }) => ratio);
  const ratios = compared.map(({ ratio }) => ratio);
  const within = `${ratios.filter((ratio) => ratio <= 1.25).length} of ${compared.length} are within`;
  const lists = compared.filter(({ name }) => name.startsWith('list '));
  const latency = { id: 'S5', unit: 'ms' };
  const ratio = { id: 'S5', unit: '×', size };
  return [
    ...lists.flatMap(({ name, smallMs, largeMs }) => [
      { ...latency, name: `page latency p50, ${name} page`, values: [smallMs], size: smallSize },
      { ...latency, name: `page latency p50, ${name} page`, values: [largeMs], size },
    ]),
    {
      ...ratio,
      name: 'p50 against 10 thousand, median of all orders and places',
      values: [median(ratios)],
      atMost: 1.1,
    },
    {
      ...ratio,
      name: 'p50 against 10 thousand, the worst of them',
      values: [slowest.ratio],
      atMost: 1.25,
      detail: `${slowest.name}; ${within}`,
    },
  ];
};

/** Whether a shape is a range of an indexed field in the order of another field. */
const isRange = ({ name, sort = '' }: Shape): boolean =>
  /^(amount|score) between /.test(name) && /^(created|updated)_at:/.test(sort);

/** S6: pages of ranges that are sorted by another field, whose cost grows with the data. */
const measureRanges = async (run: Run, large: Subject): Promise<Figure> => {
  const timed: { readonly detail: string; readonly ms: number }[] = [];
  for (const shape of allShapes(large.organization).filter(isRange)) {
    const read = await timedPage(large, shape);
    // The first page reads from disk what the others find in memory.
    await read();
    const times: number[] = [];
    for (let page = 1; page < timedPages.ranges; page += 1) times.push(await read());
    timed.push({ detail: `${shape.name} by ${shape.sort}`, ms: p99(times) });
  }
  const [, size] = run.sizes;
  const { detail, ms } = highest(timed, (one) => one.ms);
  const name = 'filter for a range, in another order: p99 of the slowest';
  return { id: 'S6', name, values: [ms], unit: 'ms', atMost: size <= 1_000_000 ? 50 : 250, size, detail };
};

/** S5 and S6: the times of pages in data of two sizes, with the gateway's code for pages and without HTTP. */
export const pagesBySize: MeasureGroup = {
  ids: ['S5', 'S6'],
  measure: async (run) => {
    const [smallSize, largeSize] = run.sizes;
    const [smallUrl, largeUrl] = [await run.server.database(smallSize), await run.server.database(largeSize)];
    return withSubject(smallUrl, smallSize, (small) =>
      withSubject(largeUrl, largeSize, async (large) => [
        ...(run.wants('S5') ? await measureOrders(run, small, large) : []),
        ...(run.wants('S6') ? [await measureRanges(run, large)] : []),
      ]),
    );
  },
};
