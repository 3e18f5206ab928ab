import type { Failure } from '@crm/domain';
import type { Database } from '../database.js';
import { isSerializationFailure } from '../database-errors.js';
import { ItemsRefused } from '../errors.js';
import { type IdempotencyRecord, runWrite, type Write, type WriteOrigin, type Written } from './write.js';

/** Entries for items by their index. */
export type ByIndex<Entry> = Readonly<Record<string, Entry>>;

/** One write of a bulk call, with the index of its item. */
export interface IndexedWrite<Result> {
  readonly index: number;
  readonly write: Write<Result>;
}

/** A bulk call: writes of one function, and entries for the rejected items. */
export interface BulkWrite<Applied, Refused> {
  readonly function: Write<Applied>['function'];
  readonly writes: readonly IndexedWrite<Applied>[];
  /** Entries for items that were rejected before the database call. They are stored with the results, so that a replay returns them too. */
  readonly refused: ByIndex<Refused>;
  /** Creates the entries for items that the database refuses. It may throw to refuse the whole call. */
  readonly refuseItems: (refusals: ReadonlyMap<number, Failure>) => ByIndex<Refused>;
}

const manyWrites = <Applied, Refused>(
  { function: name, writes }: BulkWrite<Applied, Refused>,
  refused: ByIndex<Refused>,
  refusesRaces: boolean,
): Write<ByIndex<Applied | Refused>> => {
  const items = writes
    .filter(({ index }) => !Object.hasOwn(refused, index))
    .map(({ index, write }) => ({ index, key: write.key, input: write.input }));
  const input = { function: name, items, answers: refused, ...(refusesRaces ? { refuses_races: true } : {}) };
  return { function: 'write_many', input };
};

/**
 * Runs many writes in one transaction. Usually it takes one round trip. If the database refuses some items, the transaction is rolled
 * back, and the call is repeated without them. Each repetition leaves out at least one more item, so the repetitions end.
 *
 * A call can also fail repeatedly with a serialization failure, because some of its items change keys that other items refer to. The call
 * is then repeated once more with `refuses_races`, which refuses the items that fail.
 */
export const runWrites = async <Applied, Refused>(
  database: Database,
  organizationId: string,
  bulk: BulkWrite<Applied, Refused>,
  idempotency: IdempotencyRecord | null,
  origin: WriteOrigin | null = null,
): Promise<Written<ByIndex<Applied | Refused>>> => {
  let { refused } = bulk;
  let refusesRaces = false;
  for (;;) {
    try {
      return await runWrite(database, organizationId, manyWrites(bulk, refused, refusesRaces), idempotency, origin);
    } catch (error) {
      if (error instanceof ItemsRefused) refused = { ...refused, ...bulk.refuseItems(error.refusals) };
      else if (isSerializationFailure(error) && !refusesRaces) refusesRaces = true;
      else throw error;
    }
  }
};
