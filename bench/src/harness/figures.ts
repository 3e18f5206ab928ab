import { readFile, writeFile } from 'node:fs/promises';
import { cpus, release, totalmem, type as systemName } from 'node:os';
import { fileURLToPath } from 'node:url';

/** A figure that a run adds to the results. */
export interface Figure {
  /** The id of the measure in docs/performance.md, such as `S1`. */
  readonly id: string;
  readonly name: string;
  /** One number per round. The figure is their median. */
  readonly values: readonly number[];
  readonly unit: string;
  /** The target. Without one, the figure is only reported. */
  readonly atLeast?: number;
  readonly atMost?: number;
  /** More about the figure, such as a status. */
  readonly detail?: string;
  /** The number of opportunities in the database. */
  readonly size: number;
}

/** One figure, as stored in `bench/results.json`. */
export interface Measure {
  readonly id: string;
  readonly name: string;
  readonly value: number;
  /** The difference between the greatest and the least round, divided by the median. Absent if there was one round. */
  readonly spread?: number | undefined;
  readonly unit: string;
  readonly detail?: string | undefined;
  /** The target, such as `≥ 0.75`. Null for a figure without a target. */
  readonly target: string | null;
  readonly met: boolean | null;
  readonly size: number;
  /** When it was measured, RFC 3339. */
  readonly date: string;
}

/** The median: the middle number, or the mean of the two middle ones. */
export const median = (numbers: readonly number[]): number => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

/** The 99th percentile. */
export const p99 = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length * 0.99)] ?? Number.NaN;

const spreadOf = (values: readonly number[]): number | undefined => {
  if (values.length < 2) return undefined;
  const middle = median(values);
  return middle === 0 ? 0 : Number(((Math.max(...values) - Math.min(...values)) / middle).toFixed(2));
};

/** Computes a figure from the rounds of a run. */
export const toMeasure = ({ id, name, values, unit, detail, atLeast, atMost, size }: Figure): Measure => {
  const value = Number(median(values).toPrecision(4));
  const bound = atLeast ?? atMost;
  return {
    id,
    name,
    value,
    spread: spreadOf(values),
    unit,
    detail,
    target: bound === undefined ? null : `${atLeast === undefined ? '≤' : '≥'} ${bound}`,
    met: bound === undefined ? null : atLeast === undefined ? value <= bound : value >= bound,
    size,
    date: new Date().toISOString(),
  };
};

/** The machine of the measurements. */
export const machine = {
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  cores: cpus().length,
  memory_gib: Math.round(totalmem() / 1024 ** 3),
  system: `${systemName()} ${release().split('.').slice(0, 2).join('.')}`,
  node: process.version,
};

const resultsFile = fileURLToPath(new URL('../../results.json', import.meta.url));

const isSame = (a: Measure, b: Measure): boolean => a.id === b.id && a.name === b.name && a.size === b.size;
const order = (a: Measure, b: Measure): number =>
  Number.parseInt(a.id.slice(1), 10) - Number.parseInt(b.id.slice(1), 10) ||
  a.id.localeCompare(b.id, 'en') ||
  a.size - b.size ||
  a.name.localeCompare(b.name, 'en', { numeric: true });

/** Saves figures, which replace earlier ones with the same measure, name and size. @returns all saved figures */
export const saveMeasures = async (measures: readonly Measure[]): Promise<readonly Measure[]> => {
  const stored = JSON.parse(await readFile(resultsFile, 'utf8')) as { readonly measures: readonly Measure[] };
  const others = stored.measures.filter((old) => !measures.some((measure) => isSame(measure, old)));
  const all = [...others, ...measures].sort(order);
  await writeFile(resultsFile, `${JSON.stringify({ machine, measures: all }, null, 2)}\n`);
  return all;
};
