import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Chart, type ChartLine, lineChart } from './line-chart.js';
import { describeMachine } from './machine.js';
import type { Measure } from './results.js';
import { sizeName, tableOf } from './table.js';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
const begin = '<!-- The rest of this section is written by npm run bench. -->';
const end = '<!-- Here ends what npm run bench writes. -->';

const places = ['first', 'middle', 'last'];

const latencyChart = (measures: readonly Measure[]): Chart => {
  const lines = places.map((place): ChartLine => ({
    name: `${place} page`,
    points: measures
      .filter(({ name }) => name === `page latency p50, list ${place} page`)
      .map(({ size, value }) => [size, value] as const)
      .sort(([a], [b]) => a - b),
  }));
  const sizes = [...new Set(lines.flatMap(({ points }) => points.map(([size]) => size)))].sort((a, b) => a - b);
  return {
    title: 'Latency of a page of 50 in the default order',
    xLabel: 'opportunities',
    yLabel: 'milliseconds, p50',
    xTicks: sizes.map((size) => [size, sizeName(size)] as const),
    lines,
  };
};

const throughputChart = (measures: readonly Measure[]): Chart => {
  const lines = ['gateway', 'bare node:http and postgres.js'].map((name): ChartLine => ({
    name,
    points: measures
      .flatMap((measure) => {
        const rows = /^page of (\d+) long records: (.*)$/.exec(measure.name);
        return rows?.[2] === name && measure.id === 'S1' ? [[Number(rows[1]), measure.value] as const] : [];
      })
      .sort(([a], [b]) => a - b),
  }));
  const limits = [...new Set(lines.flatMap(({ points }) => points.map(([limit]) => limit)))].sort((a, b) => a - b);
  return {
    title: 'Pages a second by page size, 300 thousand opportunities',
    xLabel: 'records of a page',
    yLabel: 'pages a second',
    xTicks: limits.map((limit) => [limit, String(limit)] as const),
    lines,
  };
};

const writeChart = async (name: string, chart: Chart): Promise<void> => {
  // A line needs two points. Until both are measured, the existing chart is kept.
  if (chart.xTicks.length > 1) await writeFile(`${docs}${name}.svg`, lineChart(chart));
};

/** Writes the figures into docs/performance.md, and draws its charts. */
export const writeReport = async (measures: readonly Measure[]): Promise<void> => {
  const file = `${docs}performance.md`;
  const page = await readFile(file, 'utf8');
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`${file} has no markers for the figures`);
  const { cpu, cores, memory_gib: memoryGib, system, node } = describeMachine();
  const machine = `Measured on ${cores} cores (${cpu}), ${memoryGib} GiB, ${system}, Node ${node}, PostgreSQL 18.`;
  const figures = [begin, machine, tableOf(measures), end].join('\n\n');
  await writeFile(file, page.slice(0, from) + figures + page.slice(to + end.length));
  await writeChart('performance-latency', latencyChart(measures));
  await writeChart('performance-throughput', throughputChart(measures));
};
