import type { BenchServer } from '../bench-server.js';
import type { Figure } from './figures.js';

/** The settings and tools of a run. */
export interface Run {
  readonly server: BenchServer;
  /** The rounds of a comparison, and the seconds of one round. */
  readonly rounds: number;
  readonly seconds: number;
  /** The number of deals for measures with one size. */
  readonly size: number;
  /** The least and the greatest number of deals, for measures that compare sizes or use the largest data. */
  readonly sizes: readonly [small: number, large: number];
  /** A commit to compare writes with. */
  readonly against: string | undefined;
  /** Whether this is a short trial with `--quick`. */
  readonly isQuick: boolean;
  /** Whether a measure is to be taken. */
  readonly wants: (id: string) => boolean;
  readonly log: (message: string) => void;
}

/** Measures that are taken together, because they share contestants. */
export interface MeasureGroup {
  readonly ids: readonly string[];
  readonly measure: (run: Run) => Promise<readonly Figure[]>;
}

/** Runs work with a copy of the data of one size, to write to. */
export const withCopy = async <T>({ server }: Run, size: number, work: (url: string) => Promise<T>): Promise<T> => {
  const url = await server.copy(await server.database(size));
  try {
    return await work(url);
  } finally {
    await server.dropCopy(url);
  }
};
