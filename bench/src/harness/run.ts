import type { BenchServer } from '../bench-server.js';
import type { NewMeasure } from './results.js';

/** What a run measures with. */
export interface Run {
  readonly server: BenchServer;
  /** Rounds of a comparison, and seconds of one round. */
  readonly rounds: number;
  readonly seconds: number;
  /** Deals where one size is measured. */
  readonly size: number;
  /** Deals where sizes are compared: the least and the most. */
  readonly sizes: readonly [small: number, large: number];
  /** A commit to compare writes with. */
  readonly against: string | null;
  /** Whether things are only tried out. */
  readonly isQuick: boolean;
  /** Whether a measure was asked for. */
  readonly wants: (id: string) => boolean;
  readonly log: (message: string) => void;
}

/** Measures that belong together, because they share what they compare with. */
export interface MeasureGroup {
  readonly ids: readonly string[];
  readonly measure: (run: Run) => Promise<readonly NewMeasure[]>;
}
