import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine, type Machine } from './machine.js';
import { median, spread } from './statistics.js';

/** What a figure has to reach. */
export interface Target {
  readonly at: 'least' | 'most';
  readonly value: number;
}

/** One figure, as `bench/results.json` keeps it. */
export interface Measure {
  /** S1 to S16, as docs/performance.md has them. */
  readonly id: string;
  readonly name: string;
  readonly value: number;
  /** Greatest less least round as a share of the median; absent where there was one. */
  readonly spread?: number;
  readonly unit: string;
  /** What the figure is of, where the name does not say it. */
  readonly detail?: string;
  /** As `≥ 0.75`; null for a figure without a target. */
  readonly target: string | null;
  readonly met: boolean | null;
  /** Opportunities in the database. */
  readonly size: number;
  /** When it was measured, RFC 3339. */
  readonly date: string;
}

/** What a run adds to the results. */
export interface NewMeasure {
  readonly id: string;
  readonly name: string;
  /** One number a round; their median is the figure. */
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

/** A figure of the rounds of a run. */
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

/** The figures that earlier runs left; none where there are no results yet. */
export const readMeasures = async (): Promise<readonly Measure[]> => {
  const text = await readFile(resultsFile, 'utf8').catch(() => null);
  return text === null ? [] : (JSON.parse(text) as Results).measures;
};

const numberOf = ({ id }: Measure): number => Number(id.slice(1));

const isSame = (a: Measure, b: Measure): boolean => a.id === b.id && a.name === b.name && a.size === b.size;

/** Puts figures in the place of earlier ones of the same measure, name and size. @returns all that are kept now */
export const keepMeasures = async (measures: readonly Measure[]): Promise<readonly Measure[]> => {
  const others = (await readMeasures()).filter((old) => !measures.some((measure) => isSame(measure, old)));
  const all = [...others, ...measures].sort(
    (a, b) => numberOf(a) - numberOf(b) || a.size - b.size || a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  const results: Results = { machine: describeMachine(), measures: all };
  await writeFile(resultsFile, `${JSON.stringify(results, null, 2)}\n`);
  return all;
};
