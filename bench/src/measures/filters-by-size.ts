import { listPage } from '@crm/db';
import type { NewMeasure } from '../harness/results.js';
import type { MeasureGroup } from '../harness/run.js';
import { percentile } from '../harness/statistics.js';
import { requestOf, type Subject } from '../query-plans/measure-shape.js';
import { pageLimit, type Shape } from '../query-plans/shape.js';
import type { Comparison } from '../query-plans/report.js';
import { allShapes } from '../query-plans/shapes.js';
import { compareShapes, openSubject } from '../subject.js';

const operators = ['eq', 'in', 'between'] as const;
const names = { eq: 'one value', in: 'one of some values', between: 'a range' } as const;

/** Whether a shape is one comparison on an indexed field that matches 50 %, 1 % or 0.01 % of the records. */
const isFilter = ({ name, objectType, filters }: Shape): boolean =>
  objectType === 'opportunity' &&
  filters !== undefined &&
  /^(tier|amount|score) (eq|in|between) (50|1|0\.01) %$/.test(name);

const ratioOf = ({ small, large }: Comparison): number => large.buffers / small.buffers;

const orders = [
  ['by creation', () => 'created_at:desc'],
  ['by last change', () => 'updated_at:desc'],
  ['in its own order', (shape: Shape) => `${shape.name.split(' ')[0]}:asc`],
] as const;

/**
 * Whether a shape is a range that is sorted by another field. Its pages may cost more in larger data, within a time
 * limit.
 */
const isTimed = ({ name, sort }: Shape): boolean =>
  name.includes(' between ') && /^(created|updated)_at:/.test(sort ?? '');

const rangesTimed = 300;
/** The time limits for a range that is sorted by another field: with a million deals, and with more. */
const rangeBoundMs = { million: 50, more: 250 } as const;

/** The time of a page in milliseconds: the 99th percentile of 300 pages, without the first, which reads from disk. */
const p99Of = async ({ database, ...subject }: Subject, shape: Shape): Promise<number> => {
  const request = requestOf({ database, ...subject }, shape, pageLimit);
  await listPage(database, request);
  const times: number[] = [];
  for (let page = 0; page < rangesTimed; page += 1) {
    const startedAtMs = performance.now();
    await listPage(database, request);
    times.push(performance.now() - startedAtMs);
  }
  return percentile(times, 0.99);
};

const slowestRange = (timed: ReadonlyMap<string, number>, size: number): NewMeasure[] => {
  const [slowest] = [...timed].sort(([, one], [, other]) => other - one);
  if (slowest === undefined) return [];
  const value = size <= 1_000_000 ? rangeBoundMs.million : rangeBoundMs.more;
  const name = 'filter for a range, in another order: p99 of the slowest';
  return [
    {
      ...{ id: 'S6', name, values: [slowest[1]], unit: 'ms', detail: slowest[0] },
      target: { at: 'most', value },
      size,
    },
  ];
};

const worstOf = (comparisons: readonly Comparison[], size: number): NewMeasure[] =>
  operators.flatMap((operator) =>
    orders.flatMap(([order, sortOf]) => {
      const [worst] = comparisons
        .filter(({ shape }) => shape.name.split(' ')[1] === operator && shape.sort === sortOf(shape) && !isTimed(shape))
        .sort((a, b) => ratioOf(b) - ratioOf(a));
      if (worst === undefined) return [];
      const { shape, small, large } = worst;
      const measure: NewMeasure = {
        ...{ id: 'S6', name: `filter for ${names[operator]}, ${order}: buffers against 10 thousand, the worst`, size },
        ...{ values: [ratioOf(worst)], unit: '×', target: { at: 'most', value: 1.5 } },
        detail: `${shape.name}: ${small.buffers} and ${large.buffers}`,
      };
      return [measure];
    }),
  );

/**
 * S6: pages with one filter on an indexed field, in data of two sizes. The measure counts buffers, which do not depend
 * on the machine. Only ranges that are sorted by another field are timed.
 */
export const filtersBySize: MeasureGroup = {
  ids: ['S6'],
  measure: async (run) => {
    const [small, large] = run.sizes;
    const subjects = [
      await openSubject(await run.server.database(small), small),
      await openSubject(await run.server.database(large), large),
    ] as const;
    const largeShapes = allShapes(subjects[1].organization);
    const comparisons: Comparison[] = [];
    const timed = new Map<string, number>();
    try {
      run.log('Filters at two sizes');
      for (const [index, shape] of allShapes(subjects[0].organization).entries()) {
        if (!isFilter(shape)) continue;
        const comparison = await compareShapes(...subjects, shape, largeShapes[index] ?? shape);
        comparisons.push(comparison);
        run.log(
          `  ${shape.name} by ${shape.sort ?? ''}: ${comparison.small.buffers} and ${comparison.large.buffers} buffers`,
        );
        if (isTimed(shape))
          timed.set(`${shape.name} by ${shape.sort ?? ''}`, await p99Of(subjects[1], largeShapes[index] ?? shape));
      }
    } finally {
      for (const { database } of subjects) await database.close();
    }
    const scans = comparisons.filter(({ large: cost, largeFull }) =>
      [...cost.sequentialScans, ...largeFull.sequentialScans].includes('opportunities'),
    );
    return [
      ...worstOf(comparisons, large),
      ...slowestRange(timed, large),
      {
        ...{ id: 'S6', name: 'filters that read the whole table', values: [scans.length] },
        ...{ unit: '', detail: `of ${comparisons.length}`, target: { at: 'most', value: 0 }, size: large },
      },
    ];
  },
};
