import type { Failure } from '@crm/domain';
import type { Database } from '../database.js';
import { isSerializationFailure } from '../database-errors.js';
import { ItemsRefused } from '../errors.js';
import { type IdempotencyRecord, runWrite, type Write, type WriteOrigin, type Written } from './write.js';

/** The results of items by their index. */
export type ByIndex<Answer> = Readonly<Record<string, Answer>>;

/** One write of a bulk call, with the index of its item. */
export interface IndexedWrite<Result> {
  readonly index: number;
  readonly write: Write<Result>;
}

/** A bulk call: writes of one function, and the results of items that were rejected before. */
export interface BulkWrite<Result, Answer> {
  readonly function: Write<Result>['function'];
  readonly writes: readonly IndexedWrite<Result>[];
  /** Results of items that were rejected before. They are stored with the other results, so that a replay returns them too. */
  readonly answers: ByIndex<Answer>;
  /** Creates the results of items that the database refuses. It may throw to refuse the whole call. */
  readonly answerRefusals: (refusals: ReadonlyMap<number, Failure>) => ByIndex<Answer>;
}

const manyWrites = <Result, Answer>(
  { function: name, writes }: BulkWrite<Result, Answer>,
  answers: ByIndex<Answer>,
  refusesRaces: boolean,
): Write<ByIndex<Result | Answer>> => {
  const items = writes
    .filter(({ index }) => !Object.hasOwn(answers, index))
    .map(({ index, write }) => ({ index, key: write.key, input: write.input }));
  const input = { function: name, items, answers, ...(refusesRaces ? { refuses_races: true } : {}) };
  return { function: 'write_many', input };
};

/**
 * Runs many writes in one transaction. Usually it takes one round trip. If the database refuses some items, the transaction is rolled
 * back, and the call is repeated without them. Each repetition leaves out at least one more item, so this ends.
 *
 * A call can also fail repeatedly with a serialization failure, because some of its items change keys that other items refer to. Then it is
 * repeated once more with `refuses_races`, which refuses those items.
 */
export const runWrites = async <Result, Answer>(
  database: Database,
  organizationId: string,
  bulk: BulkWrite<Result, Answer>,
  idempotency: IdempotencyRecord | null,
  origin: WriteOrigin | null = null,
): Promise<Written<ByIndex<Result | Answer>>> => {
  let { answers } = bulk;
  let refusesRaces = false;
  for (;;) {
    try {
      return await runWrite(database, organizationId, manyWrites(bulk, answers, refusesRaces), idempotency, origin);
    } catch (error) {
      if (error instanceof ItemsRefused) answers = { ...answers, ...bulk.answerRefusals(error.refusals) };
      else if (isSerializationFailure(error) && !refusesRaces) refusesRaces = true;
      else throw error;
    }
  }
};
