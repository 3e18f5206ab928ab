import type { ShapeCost } from './measure-shape.js';
import { pageLimit, type Shape } from './shape.js';

/** A shape at both sizes. */
export interface Comparison {
  readonly shape: Shape;
  readonly small: ShapeCost;
  /** A page with as many records as the small one has. */
  readonly large: ShapeCost;
  /** A page of {@link pageLimit}, where there are so many. */
  readonly largeFull: ShapeCost;
}

const columns = [
  'Asked',
  'Order',
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

/** The page about the cost of pages: figures that do not depend on the machine. */
export const reportOf = (comparisons: readonly Comparison[]): string => {
  const isFlat = (comparison: Comparison): boolean => ratioOf(comparison) <= 1.5;
  const flat = comparisons.filter(isFlat);
  const growing = comparisons.filter((comparison) => !isFlat(comparison));
  return [
    '# What pages cost',
    '',
    'Made by `npm run bench:plans`, which makes it again; do not edit it by hand.',
    '',
    'Every row is one page, read by the function that the gateway calls, from an organization of 10 thousand and one of',
    '1 million deals (nine of ten in the pipeline that is asked). Buffers are the 8 KB pages of tables and indexes that its',
    'statements touch, in memory or not: they say how the cost grows, and do not depend on the machine. A statement that is',
    'kept prepared is measured with and without its values, and the dearer plan counts. A page has 50 records; where 10',
    'thousand deals have fewer that match, the page of 1 million is cut to as many for the ratio, and the whole page stands',
    'beside it.',
    '',
    `## Flat: at most half as much again (${flat.length} of ${comparisons.length})`,
    '',
    ...table(flat),
    '',
    '## Growing',
    '',
    ...(growing.length === 0 ? ['None.'] : table(growing)),
    '',
  ].join('\n');
};

/** Whether a page of the small data is cut by what there is. */
export const isCut = ({ records }: ShapeCost): boolean => records > 0 && records < pageLimit;
