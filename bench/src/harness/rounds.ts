import type { Figure } from './figures.js';
import type { Run } from './run.js';

/** One side of a comparison. */
export interface Contestant {
  readonly name: string;
  /** Does as much work as possible for some seconds. @returns pieces of work a second, or milliseconds */
  readonly run: (seconds: number) => Promise<number>;
}

/** The length of the warm-up in rounds: V8 compiles the code that runs often in six seconds. */
const warmUpRounds = 2;

/**
 * Runs contestants in turn, round after round, so that other load on the machine affects all of them. Before that, each
 * has a run that does not count, in which its code is compiled.
 * @returns the rates of each contestant, one per round
 */
export const alternate = async <const Contestants extends readonly Contestant[]>(
  contestants: Contestants,
  { rounds, seconds, log }: Pick<Run, 'rounds' | 'seconds' | 'log'>,
): Promise<{ readonly [Index in keyof Contestants]: readonly number[] }> => {
  const rates = contestants.map((): number[] => []);
  for (const contestant of contestants) await contestant.run(warmUpRounds * seconds);
  for (let round = 1; round <= rounds; round += 1) {
    // Every other round runs in reverse order, so that no contestant always follows the same one.
    const order = round % 2 === 1 ? contestants : contestants.toReversed();
    for (const contestant of order) {
      const rate = await contestant.run(seconds);
      rates[contestants.indexOf(contestant)]?.push(rate);
      log(`  round ${round} of ${rounds}, ${contestant.name}: ${rate.toPrecision(4)}`);
    }
  }
  return rates as { readonly [Index in keyof Contestants]: readonly number[] };
};

/** The numbers of one contestant divided by those of another, round by round. */
export const ratios = (numbers: readonly number[], others: readonly number[]): number[] =>
  numbers.map((number, round) => number / (others[round] ?? Number.NaN));

/** What a comparison measures, with the target of the ratio. */
interface Comparison {
  readonly id: string;
  /** The work of both sides. */
  readonly what: string;
  readonly unit: string;
  readonly size: number;
  readonly atLeast?: number;
  readonly atMost?: number;
}

/** Measures two contestants in turn. @returns the figures of both, and their ratio */
export const compare = async (
  run: Run,
  { what, atLeast, atMost, ...common }: Comparison,
  [ours, theirs]: readonly [Contestant, Contestant],
): Promise<[ours: Figure, theirs: Figure, ratio: Figure]> => {
  run.log(what);
  const [ourRates, theirRates] = await alternate([ours, theirs], run);
  const target = atLeast === undefined ? { atMost: atMost ?? Number.NaN } : { atLeast };
  return [
    { ...common, name: `${what}: ${ours.name}`, values: ourRates },
    { ...common, name: `${what}: ${theirs.name}`, values: theirRates },
    {
      ...common,
      ...target,
      name: `${what}: ${ours.name} against ${theirs.name}`,
      unit: '×',
      values: ratios(ourRates, theirRates),
    },
  ];
};
