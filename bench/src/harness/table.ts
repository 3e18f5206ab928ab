import type { Measure } from './results.js';

const columns = ['Measure', 'Figure', 'Deals', 'Target', 'Median', 'Spread', 'Met', 'Remark'] as const;

const sizeNames: Readonly<Record<number, string>> = {
  10_000: '10 thousand',
  300_000: '300 thousand',
  1_000_000: '1 million',
  10_000_000: '10 million',
};

/** The name of a number of deals, such as `10 thousand`. */
const sizeName = ({ size }: Measure): string => sizeNames[size] ?? size.toLocaleString('en');

const met = ({ met: isMet }: Measure): string => (isMet === null ? '' : isMet ? 'yes' : '**no**');

const spreadOf = ({ spread }: Measure): string => (spread === undefined ? '' : `${Math.round(spread * 100)} %`);

const valueOf = ({ value, unit }: Measure): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: 3 })} ${unit}`.trim();

/** The texts of the sizes of a figure: one text if they are equal. */
const joined = (measures: readonly Measure[], textOf: (measure: Measure) => string): string =>
  [...new Set(measures.map(textOf))].join(' / ');

/** The cells of a figure, which was measured with one or several sizes. */
const cellsOf = (measures: readonly [Measure, ...Measure[]]): string[] => [
  measures[0].id,
  measures[0].name,
  joined(measures, sizeName),
  joined(measures, ({ target }) => target ?? ''),
  measures.map(valueOf).join(' / '),
  joined(measures, spreadOf),
  joined(measures, met),
  joined(measures, ({ detail }) => detail ?? ''),
];

/** The measures in groups with the same key, in order. */
const groupsOf = (measures: readonly Measure[], keyOf: (measure: Measure) => string): [Measure, ...Measure[]][] =>
  [...new Set(measures.map(keyOf))].map(
    (key) => measures.filter((measure) => keyOf(measure) === key) as [Measure, ...Measure[]],
  );

/** Figures without a target, such as those of both sides of a comparison: one line for each measure and size. */
const linesOf = (measures: readonly Measure[]): string[] =>
  groupsOf(measures, ({ id, size }) => `${id} ${size}`).map((group) => {
    const figures = group.map((measure) => `${measure.name}: ${valueOf(measure)}`).join('; ');
    return `- **${group[0].id}**, ${sizeName(group[0])} deals: ${figures}`;
  });

/** Formats figures as Markdown: a table of those with a target, with aligned columns, then a list of the others. */
export const tableOf = (measures: readonly Measure[]): string => {
  const targets = measures.filter(({ target }) => target !== null);
  const rows = groupsOf(targets, ({ id, name }) => `${id} ${name}`).map(cellsOf);
  const widths = columns.map((column, index) =>
    Math.max(3, column.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const table = [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)];
  return [...table, '', ...linesOf(measures.filter(({ target }) => target === null))].join('\n');
};
