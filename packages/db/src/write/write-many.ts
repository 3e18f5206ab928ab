import type { Database } from '../database.js';
import { ItemsRefusedError, type Refusal } from '../database-errors.js';
import { type Once, runWrite, type Write, type Written, type WrittenRecord } from './write.js';

/** One write of a bulk call, with its place among the items. */
export interface IndexedWrite<Result> {
  readonly index: number;
  readonly write: Write<Result>;
}

/** A bulk call: writes of one function, and the answers to items that were refused before they got here. */
export interface BulkWrite<Result, Answer> {
  readonly function: Write<Result>['function'];
  readonly writes: readonly IndexedWrite<Result>[];
  /** By index; kept with the results, so that a replay has them too. */
  readonly answers: Readonly<Record<string, Answer>>;
  /** What the item at this index answers where the database refuses it; it may throw to refuse the whole call. */
  readonly answerRefusal: (index: number, refusal: Refusal) => Answer;
}

const manyWrites = <Result, Answer>(
  { function: name, writes }: BulkWrite<Result, Answer>,
  answers: Readonly<Record<string, Answer>>,
): Write<Readonly<Record<string, Result | Answer>>> => ({
  function: 'write_many',
  input: {
    function: name,
    items: writes
      .filter(({ index }) => !(index in answers))
      .map(({ index, write }) => ({ index, key: write.key, input: write.input })),
    answers,
  },
});

/**
 * Runs many writes in one transaction: usually in one round trip, and in one more where the database refused some of them.
 * Those are then left out, so that nothing of them stays. Every further round takes another refusal, so it ends.
 * @returns results and answers by index
 */
export const runWrites = async <Result extends WrittenRecord, Answer>(
  database: Database,
  organizationId: string,
  bulk: BulkWrite<Result, Answer>,
  once: Once | null,
): Promise<Written<Readonly<Record<string, Result | Answer>>>> => {
  const answers: Record<string, Answer> = { ...bulk.answers };
  for (;;) {
    try {
      return await runWrite(database, organizationId, manyWrites(bulk, answers), once);
    } catch (error) {
      if (!(error instanceof ItemsRefusedError)) throw error;
      for (const [index, refusal] of error.refusals) answers[index] = bulk.answerRefusal(index, refusal);
    }
  }
};
