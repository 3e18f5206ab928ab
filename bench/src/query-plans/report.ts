import type { ShapeCost } from './measure-shape.js';
import { pageLimit, type Shape } from './shape.js';

/** The cost of a shape in both data sizes. */
export interface Comparison {
  readonly shape: Shape;
  readonly small: ShapeCost;
  /** A page with the same number of records as the small one. */
  readonly large: ShapeCost;
  /** A page of {@link pageLimit}, if enough records match. */
  readonly largeFull: ShapeCost;
}

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

const columns = [
  'Query',
  'Sort',
  'Page',
  'Records',
  'Buffers, 10 thousand',
  'Buffers, 1 million',
  'Ratio',
  'Full page, 1 million',
  'Statements',
  'Sequential scans',
  'Remark',
];

const ratioOf = ({ small, large }: Comparison): number => large.buffers / small.buffers;

const row = (comparison: Comparison): string => {
  const { shape, small, large, largeFull } = comparison;
  const scans = [...new Set([...large.sequentialScans, ...largeFull.sequentialScans])];
  const cells = [
    shape.objectType === 'opportunity' ? shape.name : `${shape.objectType}s: ${shape.name}`,
    shape.sort ?? 'created_at:desc',
    shape.place ?? 'first',
    large.records,
    small.buffers,
    large.buffers,
    ratioOf(comparison).toFixed(2),
    largeFull.records === large.records ? '' : `${largeFull.buffers} for ${largeFull.records}`,
    Math.max(small.statements, largeFull.statements),
    scans.length === 0 ? 'none' : scans.join(', '),
    shape.remark ?? '',
  ];
  return `| ${cells.join(' | ')} |`;
};

const table = (comparisons: readonly Comparison[]): string[] => [
  `| ${columns.join(' | ')} |`,
  `| ${columns.map((_, index) => (index < 3 || index > 8 ? '---' : '---:')).join(' | ')} |`,
  ...comparisons.map(row),
];

/** The text of docs/query-plans.md. */
export const reportOf = (comparisons: readonly Comparison[]): string => {
  const isFlat = (comparison: Comparison): boolean => ratioOf(comparison) <= 1.5;
  const flat = comparisons.filter(isFlat);
  const growing = comparisons.filter((comparison) => !isFlat(comparison));
  return [
    '# What pages cost',
    '',
    '`npm run bench:plans` generates this page. Do not edit it by hand.',
    '',
    "Each row is one page of records, read with the gateway's own code: once from 10 thousand deals and once from 1 million. The queries",
    'of deals read the first pipeline, which has nine tenths of the deals, unless they name all pipelines. _Buffers_ are the 8 KB pages of',
    'tables and indexes that the statements access, in memory or not. They show how the cost grows with the data and do not depend on the',
    'machine.',
    '',
    '- **Queries.** `q` searches for a word. A percentage says how many of the deals match a filter.',
    '- **Plans.** The read gateway uses one plan of a statement for all values. The command fails if a plan for the current values takes much',
    '  fewer buffers ([0026](decisions/0026-reused-plans.md)).',
    '- **Page size.** A page has 50 records. If fewer of the 10 thousand deals match, both pages of the comparison have that smaller size.',
    '  The column _Full page_ then shows a page of up to 50 records from the 1 million.',
    '',
    `## Flat: at most 1.5 times the buffers (${flat.length} of ${comparisons.length})`,
    '',
    ...table(flat),
    '',
    '## Growing: more than 1.5 times the buffers',
    '',
    ...(growing.length === 0 ? ['None.'] : table(growing)),
    '',
  ].join('\n');
};

/** Whether the small data has too few matches for a full page. */
export const isCut = ({ records }: ShapeCost): boolean => records > 0 && records < pageLimit;
