import type { Failure } from '@crm/domain';
import type { Database } from '../database.js';
import { isSerializationFailure } from '../database-errors.js';
import { ItemsRefused } from '../errors.js';
import { type IdempotencyRecord, runWrite, type Write, type WriteOrigin, type Written } from './write.js';

/** What items answer, by their index. */
export type ByIndex<Answer> = Readonly<Record<string, Answer>>;

/** One write of a bulk call, with its place among the items. */
export interface IndexedWrite<Result> {
  readonly index: number;
  readonly write: Write<Result>;
}

/** A bulk call: writes of one function, and what those items answer that were refused before they got here. */
export interface BulkWrite<Result, Answer> {
  readonly function: Write<Result>['function'];
  readonly writes: readonly IndexedWrite<Result>[];
  /** Kept with the results, so that a replay has them too. */
  readonly answers: ByIndex<Answer>;
  /** What the items answer that the database refuses; it may throw to refuse the whole call. */
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
 * Runs many writes in one transaction: usually in one round trip, and in one more where the database refused some of them.
 * Those are then left out, so that nothing of them stays. Every further round takes another refusal, so it ends. If a call cannot
 * be repeated to an end, because its own items move keys that other items of it name, those items are refused.
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
