import { setImmediate } from 'node:timers/promises';
import type { Failure } from '@crm/domain';
import type { Database } from '../database.js';
import { ItemsRefused } from '../errors.js';
import { type IdempotencyRecord, runWriteText, type Write, type WriteOrigin, type Written } from './write.js';

/** Entries for items by their index. */
export type ByIndex<Entry> = Readonly<Record<string, Entry>>;

/** One write of a bulk call. */
export interface IndexedWrite<Result> {
  /** The index of its item. */
  readonly index: number;
  /** The input of its write as JSON. The input of all writes has megabytes, so the caller prints it item by item. */
  readonly input: string;
  readonly write: Write<Result>;
}

/** Prints the input of a write. */
export const indexedWrite = <Result>(index: number, write: Write<Result>): IndexedWrite<Result> => ({
  index,
  write,
  input: JSON.stringify(write.input),
});

/** A bulk call: writes of one function, and entries for the rejected items. */
export interface BulkWrite<Applied, Refused> {
  readonly function: Write<Applied>['function'];
  readonly writes: readonly IndexedWrite<Applied>[];
  /** Entries for items that were rejected before the database call. They are stored with the results, so that a replay returns them too. */
  readonly refused: ByIndex<Refused>;
  /** Creates the entries for items that the database refuses. It may throw to refuse the whole call. */
  readonly refuseItems: (refusals: ReadonlyMap<number, Failure>) => ByIndex<Refused>;
}

/**
 * Runs many writes in one transaction. Usually it takes one round trip. If the database refuses some items, the transaction is rolled
 * back, and the call is repeated without them. Each repetition leaves out at least one more item, so the repetitions end.
 */
export const runWrites = async <Applied, Refused>(
  database: Database,
  organizationId: string,
  bulk: BulkWrite<Applied, Refused>,
  idempotency: IdempotencyRecord | null,
  origin: WriteOrigin | null = null,
): Promise<Written<ByIndex<Applied | Refused>>> => {
  let { refused } = bulk;
  for (;;) {
    const items = bulk.writes
      .filter(({ index }) => !Object.hasOwn(refused, index))
      .map(({ index, input }) => `{"index":${index},"input":${input}}`);
    const input = `{"function":"${bulk.function}","items":[${items.join()}],"answers":${JSON.stringify(refused)}}`;
    // The driver encodes megabytes at once, in a turn of its own.
    await setImmediate();
    try {
      return await runWriteText(database, organizationId, { function: 'write_many', input }, idempotency, origin);
    } catch (error) {
      if (!(error instanceof ItemsRefused)) throw error;
      refused = { ...refused, ...bulk.refuseItems(error.refusals) };
    }
  }
};
