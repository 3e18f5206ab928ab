import type { Measure } from './results.js';

const columns = ['Measure', 'Figure', 'Size', 'Target', 'Median', 'Spread', 'Met', 'Remark'] as const;

const sizeNames: Readonly<Record<number, string>> = {
  10_000: '10 thousand',
  300_000: '300 thousand',
  1_000_000: '1 million',
  10_000_000: '10 million',
};

/** The name of a number of deals, such as `10 thousand`. */
const sizeName = (size: number): string => sizeNames[size] ?? size.toLocaleString('en');

const met = ({ met: isMet }: Measure): string => (isMet === null ? '' : isMet ? 'yes' : '**no**');

const spreadOf = ({ spread }: Measure): string => (spread === undefined ? '' : `${Math.round(spread * 100)} %`);

const valueOf = ({ value, unit }: Measure): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: 3 })} ${unit}`;

const cellsOf = (measure: Measure): string[] => [
  measure.id,
  measure.name,
  sizeName(measure.size),
  measure.target ?? '',
  valueOf(measure),
  spreadOf(measure),
  met(measure),
  measure.detail ?? '',
];

/** Formats figures as a Markdown table with aligned columns. */
export const tableOf = (measures: readonly Measure[]): string => {
  const rows = measures.map(cellsOf);
  const widths = columns.map((column, index) =>
    Math.max(3, column.length, ...rows.map((row) => (row[index] ?? '').length)),
  );
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  return [line(columns), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
};
