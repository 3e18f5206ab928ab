import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine, type Machine } from './machine.js';
import { median, spread } from './statistics.js';

/** The target of a figure. */
export interface Target {
  readonly at: 'least' | 'most';
  readonly value: number;
}

/** One figure, as stored in `bench/results.json`. */
export interface Measure {
  /** The id of the measure in docs/performance.md, such as `S1`. */
  readonly id: string;
  readonly name: string;
  readonly value: number;
  /** The difference between the greatest and the least round, divided by the median. Absent if there was one round. */
  readonly spread?: number;
  readonly unit: string;
  /** More about the figure, such as a status. */
  readonly detail?: string;
  /** The target, such as `≥ 0.75`. Null for a figure without a target. */
  readonly target: string | null;
  readonly met: boolean | null;
  /** The number of opportunities in the database. */
  readonly size: number;
  /** When it was measured, RFC 3339. */
  readonly date: string;
}

/** A figure that a run adds to the results. */
export interface NewMeasure {
  readonly id: string;
  readonly name: string;
  /** One number per round. The figure is their median. */
  readonly values: readonly number[];
  readonly unit: string;
  readonly detail?: string;
  readonly target?: Target | undefined;
  readonly size: number;
}

interface Results {
  readonly machine: Machine;
  readonly measures: readonly Measure[];
}

const resultsFile = fileURLToPath(new URL('../../results.json', import.meta.url));

const round = (value: number): number => Number(value.toPrecision(4));

const isMet = (value: number, { at, value: bound }: Target): boolean =>
  at === 'least' ? value >= bound : value <= bound;

/** Computes a figure from the rounds of a run. */
export const toMeasure = ({ id, name, values, unit, detail, target, size }: NewMeasure): Measure => {
  const value = round(median(values));
  return {
    id,
    name,
    value,
    ...(values.length > 1 ? { spread: Math.round(spread(values) * 100) / 100 } : {}),
    unit,
    ...(detail === undefined ? {} : { detail }),
    target: target === undefined ? null : `${target.at === 'least' ? '≥' : '≤'} ${target.value}`,
    met: target === undefined ? null : isMet(value, target),
    size,
    date: new Date().toISOString(),
  };
};

/** The figures of earlier runs. Empty if there are no results yet. */
const readMeasures = async (): Promise<readonly Measure[]> => {
  const text = await readFile(resultsFile, 'utf8').catch(() => null);
  return text === null ? [] : (JSON.parse(text) as Results).measures;
};

const numberOf = ({ id }: Measure): number => Number(id.slice(1));

const isSame = (a: Measure, b: Measure): boolean => a.id === b.id && a.name === b.name && a.size === b.size;

/** Saves figures, which replace earlier ones with the same measure, name and size. @returns all saved figures */
export const keepMeasures = async (measures: readonly Measure[]): Promise<readonly Measure[]> => {
  const others = (await readMeasures()).filter((old) => !measures.some((measure) => isSame(measure, old)));
  const all = [...others, ...measures].sort(
    (a, b) => numberOf(a) - numberOf(b) || a.size - b.size || a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  const results: Results = { machine: describeMachine(), measures: all };
  await writeFile(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  return all;
};
