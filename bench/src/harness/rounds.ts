/** One side of a comparison: something that does as much work as it can for some seconds. */
export interface Contestant<Outcome> {
  readonly name: string;
  readonly run: (seconds: number) => Promise<Outcome>;
}

/** How long and how often. */
export interface RoundOptions {
  readonly rounds: number;
  readonly seconds: number;
  readonly log: (message: string) => void;
}

/** Until code that runs often is compiled. */
const warmUpSeconds = 6;

/**
 * Lets contestants run in turn, round after round, so that what else the machine does meets all of them. A run of
 * each goes before that counts for nothing: only then is their code compiled.
 * @returns the outcomes of each, a round each
 */
export const alternate = async <Outcome>(
  contestants: readonly Contestant<Outcome>[],
  { rounds, seconds, log }: RoundOptions,
  describe: (outcome: Outcome) => string,
): Promise<Map<string, Outcome[]>> => {
  const outcomes = new Map<string, Outcome[]>(contestants.map(({ name }) => [name, []]));
  for (const contestant of contestants) await contestant.run(warmUpSeconds);
  for (let round = 1; round <= rounds; round += 1) {
    // Every other round runs backwards, so that no contestant always follows the same one.
    const order = round % 2 === 1 ? contestants : [...contestants].reverse();
    for (const { name, run } of order) {
      const outcome = await run(seconds);
      outcomes.get(name)?.push(outcome);
      log(`  round ${round} of ${rounds}, ${name}: ${describe(outcome)}`);
    }
  }
  return outcomes;
};

/** The numbers of one contestant over those of another, round by round. */
export const ratios = (numbers: readonly number[], others: readonly number[]): number[] =>
  numbers.map((number, round) => number / (others[round] ?? Number.NaN));
