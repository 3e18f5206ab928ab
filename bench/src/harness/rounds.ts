/** One side of a comparison. `run` does as much work as possible for some seconds. */
export interface Contestant<Outcome> {
  readonly name: string;
  readonly run: (seconds: number) => Promise<Outcome>;
}

/** The number of rounds and their length. */
export interface RoundOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly log: (message: string) => void;
}

/** Long enough for V8 to compile the code that runs often. */
const warmUpSeconds = 6;

/**
 * Runs contestants in turn, round after round, so that other load on the machine affects all of them. Before that, each
 * has a run that does not count, in which its code is compiled.
 * @returns the outcomes of each contestant, one per round
 */
export const alternate = async <Outcome>(
  contestants: readonly Contestant<Outcome>[],
  { rounds, seconds, log }: RoundOptions,
  describe: (outcome: Outcome) => string,
): Promise<Map<string, Outcome[]>> => {
  const outcomes = new Map<string, Outcome[]>(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await contestant.run(warmUpSeconds);
  for (let round = 1; round <= rounds; round += 1) {
    // Every other round runs in reverse order, so that no contestant always follows the same one.
    const order = round % 2 === 1 ? contestants : [...contestants].reverse();
    for (const { name, run } of order) {
      const outcome = await run(seconds);
      outcomes.get(name)?.push(outcome);
      log(`  round ${round} of ${rounds}, ${name}: ${describe(outcome)}`);
    }
  }
  return outcomes;
};

/** The numbers of one contestant divided by those of another, round by round. */
export const ratios = (numbers: readonly number[], others: readonly number[]): number[] =>
  numbers.map((number, round) => number / (others[round] ?? Number.NaN));
