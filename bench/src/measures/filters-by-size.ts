import type { NewMeasure } from '../harness/results.js';
import type { MeasureGroup } from '../harness/run.js';
import type { Comparison } from '../query-plans/report.js';
import type { Shape } from '../query-plans/shape.js';
import { allShapes } from '../query-plans/shapes.js';
import { compareShapes, openSubject } from '../subject.js';

const operators = ['eq', 'in', 'between'] as const;
const names = { eq: 'one value', in: 'one of some values', between: 'a range' } as const;

/** One comparison on a field with an index, that holds for 50 %, 1 % or 0.01 %. */
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

const worstOf = (comparisons: readonly Comparison[], size: number): NewMeasure[] =>
  operators.flatMap((operator) =>
    orders.flatMap(([order, sortOf]) => {
      const [worst] = comparisons
        .filter(({ shape }) => shape.name.split(' ')[1] === operator && shape.sort === sortOf(shape))
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

/** S6: pages under one filter on a field with an index, in data of two sizes. Buffers are counted, so that no clock decides. */
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
    try {
      run.log('Filters at two sizes');
      for (const [index, shape] of allShapes(subjects[0].organization).entries()) {
        if (!isFilter(shape)) continue;
        const comparison = await compareShapes(...subjects, shape, largeShapes[index] ?? shape);
        comparisons.push(comparison);
        run.log(
          `  ${shape.name} by ${shape.sort ?? ''}: ${comparison.small.buffers} and ${comparison.large.buffers} buffers`,
        );
      }
    } finally {
      for (const { database } of subjects) await database.close();
    }
    const scans = comparisons.filter(({ large: cost, largeFull }) =>
      [...cost.sequentialScans, ...largeFull.sequentialScans].includes('opportunities'),
    );
    return [
      ...worstOf(comparisons, large),
      {
        ...{ id: 'S6', name: 'filters that read the whole table', values: [scans.length] },
        ...{ unit: '', detail: `of ${comparisons.length}`, target: { at: 'most', value: 0 }, size: large },
      },
    ];
  },
};
