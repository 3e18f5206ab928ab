import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { machine, type Measure } from './figures.js';

const file = fileURLToPath(new URL('../../../docs/performance.md', import.meta.url));
const begin = '<!-- The rest of this section is written by npm run bench. -->';
const end = '<!-- Here ends what npm run bench writes. -->';

/** `300000` → `300 thousand` */
const sizeName = ({ size }: Measure): string =>
  size < 1_000_000 ? `${size / 1_000} thousand` : `${size / 1_000_000} million`;

const valueOf = ({ value, unit }: Measure): string =>
  `${value.toLocaleString('en', { maximumFractionDigits: 3 })} ${unit}`.trim();

/** The text of each column of the table. */
const columns: Readonly<Record<string, (measure: Measure) => string>> = {
  Measure: ({ id }) => id,
  Figure: ({ name }) => name,
  Deals: sizeName,
  Target: ({ target }) => target ?? '',
  Median: valueOf,
  Spread: ({ spread }) => (spread === undefined ? '' : `${Math.round(spread * 100)} %`),
  Met: ({ met }) => (met === true ? 'yes' : '**no**'),
  Remark: ({ detail }) => detail ?? '',
};

/** The measures in groups with the same key, in order. */
const groupsOf = (measures: readonly Measure[], keyOf: (measure: Measure) => string): [Measure, ...Measure[]][] =>
  [...new Set(measures.map(keyOf))].map(
    (key) => measures.filter((measure) => keyOf(measure) === key) as [Measure, ...Measure[]],
  );

/** Formats figures as Markdown: a table of those with a target, with aligned columns, then a list of the others. */
export const tableOf = (measures: readonly Measure[]): string => {
  const targets = measures.filter(({ target }) => target !== null);
  // A figure of several sizes has one row, with the texts of all sizes.
  const rows = groupsOf(targets, ({ id, name }) => `${id} ${name}`).map((sizes) =>
    Object.values(columns).map((textOf) => [...new Set(sizes.map(textOf))].join(' / ')),
  );
  const titles = Object.keys(columns);
  const widths = titles.map((title, index) => Math.max(3, title.length, ...rows.map((row) => row[index]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join(' | ')} |`;
  const others = measures.filter(({ target }) => target === null);
  const lines = groupsOf(others, ({ id, size }) => `${id} ${size}`).map((group) => {
    const figures = group.map((measure) => `${measure.name}: ${valueOf(measure)}`).join('; ');
    return `- **${group[0].id}**, ${sizeName(group[0])} deals: ${figures}`;
  });
  return [line(titles), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line), '', ...lines].join('\n');
};

/** Writes the figures into docs/performance.md. */
export const writeReport = async (measures: readonly Measure[]): Promise<void> => {
  const page = await readFile(file, 'utf8');
  const [before, written, after] = page.split(new RegExp(`(${begin}[^]*${end})`));
  if (written === undefined) throw new Error(`${file} has no markers for the figures`);
  const { cpu, cores, memory_gib: memoryGib, system, node } = machine;
  const measured = `Measured on ${cores} cores (${cpu}), ${memoryGib} GiB, ${system}, Node ${node}, PostgreSQL 18.`;
  await writeFile(file, `${before}${[begin, measured, tableOf(measures), end].join('\n\n')}${after}`);
};
