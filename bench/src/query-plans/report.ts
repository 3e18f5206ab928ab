import type { Comparison } from './measure-shape.js';

/** How many buffers a reused plan may take for one that a plan for the values takes, and how many more in any case. */
const allowed = { ratio: 1.5, buffers: 20 };

/** The shapes whose reused plan takes too many buffers. */
export const worsePlans = (comparisons: readonly Comparison[]): string[] =>
  comparisons
    .filter(({ small, largeFull }) =>
      [small, largeFull].some(
        ({ buffers, ownBuffers }) => buffers > Math.max(ownBuffers * allowed.ratio, ownBuffers + allowed.buffers),
      ),
    )
    .map(({ shape: { name, sort, place } }) => [name, sort, place].filter(Boolean).join(' '));

const columns = ['Query', 'Sort', 'Pages', 'Buffers, 10 thousand', '1 million', 'Ratio', 'Full page', 'Remark'];

const ratioOf = ({ small, large }: Comparison): number => large.buffers / small.buffers;

/** `12`, or `12–15` for different values. */
const rangeOf = (values: readonly number[]): string =>
  [...new Set([Math.min(...values), Math.max(...values)])].join('–');

const withoutDirection = (text: string): string => text.replace(/:(asc|desc)$/, '');

/** The shapes with one row: the same query and sort, in both directions and at all places. */
const rowKeyOf = ({ shape: { objectType, name, sort, remark } }: Comparison): string =>
  JSON.stringify([objectType, withoutDirection(name), withoutDirection(sort ?? 'created_at:desc'), remark]);

const row = (comparisons: readonly Comparison[]): string => {
  const [{ shape }] = comparisons as [Comparison];
  const full = comparisons.filter(({ large, largeFull }) => largeFull.records !== large.records);
  const cells = [
    (shape.objectType === 'opportunity' ? '' : `${shape.objectType}s: `) + withoutDirection(shape.name),
    withoutDirection(shape.sort ?? 'created_at:desc'),
    comparisons.length,
    rangeOf(comparisons.map(({ small }) => small.buffers)),
    rangeOf(comparisons.map(({ large }) => large.buffers)),
    rangeOf(comparisons.map(ratioOf).map((ratio) => Number(ratio.toFixed(2)))),
    [...new Set(full.map(({ largeFull }) => `${largeFull.buffers} for ${largeFull.records}`))].join(', '),
    shape.remark ?? '',
  ];
  return `| ${cells.join(' | ')} |`;
};

const table = (comparisons: readonly Comparison[]): string[] => [
  `| ${columns.join(' | ')} |`,
  `| ${columns.map((_, index) => (index < 2 || index > 6 ? '---' : '---:')).join(' | ')} |`,
  ...[...new Set(comparisons.map(rowKeyOf))].map((key) => row(comparisons.filter((each) => rowKeyOf(each) === key))),
];

/** The text of docs/query-plans.md. */
export const reportOf = (comparisons: readonly Comparison[]): string => {
  const flat = comparisons.filter((comparison) => ratioOf(comparison) <= 1.5);
  const growing = comparisons.filter((comparison) => !flat.includes(comparison));
  return [
    '# What pages cost',
    '',
    '`npm run bench:plans` generates this page. Do not edit it by hand.',
    '',
    "A page of records is read with the gateway's own code: once from 10 thousand deals and once from 1 million. The queries of deals",
    'read the first pipeline, which has nine tenths of the deals, unless they name all pipelines. _Buffers_ are the 8 KB pages of tables',
    'and indexes that the statements access, in memory or not. They show how the cost grows and do not depend on the machine.',
    '',
    '- **Queries.** `q` searches for a word. A percentage says how many of the deals match a filter.',
    '- **Pages.** Each row stands for this many pages: the first, middle and last page of both directions of a sort. The buffers and ratios',
    '  are the lowest and the highest of them.',
    '- **Plans.** The read gateway uses one plan of a statement for all values. The command fails if a plan for the current values takes much',
    '  fewer buffers ([0026](decisions/0026-reused-plans.md)).',
    '- **Page size.** A page has 50 records. If fewer of the 10 thousand deals match, both pages of the comparison have that smaller size.',
    '  The column _Full page_ then shows a page of up to 50 records from the 1 million.',
    '',
    `## Flat: ${flat.length} of ${comparisons.length} take at most 1.5 times the buffers. Those that read more than 100:`,
    '',
    ...table(flat.filter(({ large }) => large.buffers > 100)),
    '',
    '## Growing: more than 1.5 times the buffers',
    '',
    ...(growing.length === 0 ? ['None.'] : table(growing)),
    '',
  ].join('\n');
};
