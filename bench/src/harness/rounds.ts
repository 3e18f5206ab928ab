/** One side of a comparison. */
export interface Contestant {
  readonly name: string;
  /** Does as much work as possible for some seconds. @returns pieces of work a second, or milliseconds */
  readonly run: (seconds: number) => Promise<number>;
}

/** The number of rounds and their length. */
interface RoundOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly log: (message: string) => void;
}

/** The length of the warm-up in rounds: V8 compiles the code that runs often in six seconds. */
const warmUpRounds = 2;

/**
 * Runs contestants in turn, round after round, so that other load on the machine affects all of them. Before that, each
 * has a run that does not count, in which its code is compiled.
 * @returns the rates of each contestant, one per round
 */
export const alternate = async (
  contestants: readonly Contestant[],
  { rounds, seconds, log }: RoundOptions,
): Promise<Map<string, number[]>> => {
  const rates = new Map<string, number[]>(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await contestant.run(warmUpRounds * seconds);
  for (let round = 1; round <= rounds; round += 1) {
    // Every other round runs in reverse order, so that no contestant always follows the same one.
    const order = round % 2 === 1 ? contestants : [...contestants].reverse();
    for (const { name, run } of order) {
      const rate = await run(seconds);
      rates.get(name)?.push(rate);
      log(`  round ${round} of ${rounds}, ${name}: ${rate.toPrecision(4)}`);
    }
  }
  return rates;
};

/** The numbers of one contestant divided by those of another, round by round. */
export const ratios = (numbers: readonly number[], others: readonly number[]): number[] =>
  numbers.map((number, round) => number / (others[round] ?? Number.NaN));
