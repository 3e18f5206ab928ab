import type { Database } from '../database.js';
import { retryTransaction } from '../database-errors.js';
import { readMarkText } from '../read-mark.js';

/** The functions of the database that write. */
export type WriteFunction =
  | `${'create' | 'update' | 'delete'}_${'opportunity' | 'contact' | 'account'}`
  | 'create_note'
  | 'restore_account'
  | 'restore_opportunity'
  | 'update_note'
  | 'delete_note'
  | `merge_${'contact' | 'account'}`
  | `preview_${'contact' | 'account'}_merge`
  | 'write_many';

/**
 * One write, ready to be sent: made of a normalised request by the functions beside this file, and run alone with
 * {@link runWrite} or among others with {@link runWrites}.
 */
export interface Write<Result> {
  readonly function: WriteFunction;
  readonly input: object;
  /**
   * The domain or email of what is created, null without one: a bulk call creates records in its order. Opportunities are ordered by the
   * database.
   */
  readonly key?: string | null;
  /** Carries the type of the result; never set. */
  readonly result?: Result;
}

/** What a create did to the record of the natural key. */
export type RecordStatus = 'created' | 'matched' | 'updated';

/** What creates and updates answer. */
export interface WrittenRecord {
  readonly id: string;
  readonly record_status: RecordStatus;
}

/** What creates of objects with a natural key answer. */
export interface CreatedRecord extends WrittenRecord {
  /** What was sent, differs from what is stored and was not applied: columns, and custom fields as `custom__slug`. */
  readonly unapplied: readonly string[];
}

/** Which record to update. */
export interface UpdateTarget {
  readonly id: string;
  /** The version that the record must have; any when absent. */
  readonly version?: number | undefined;
}

/** What a create does with a record that exists: keep its values, or apply the sent ones as an update would. */
export type OnMatch = 'keep' | 'update';

/** What is stored of an `Idempotency-Key`, so that a request takes effect once however often it is sent. */
export interface IdempotencyRecord {
  /** The operation's id; keys of different operations do not meet. */
  readonly operation: string;
  /** SHA-256 of the key. The key itself is not stored: clients put emails into it, which an erasure could not find. */
  readonly keyHash: string;
  /** Digest of the request: another one under the same key is refused. */
  readonly requestHash: string;
}

/** The request that writes, as the change log shows it beside every event. */
export interface WriteOrigin {
  readonly requestId: string;
  readonly apiKeyId: string;
}

/** What a write answered, now or when it was first sent. */
export interface Written<Result> {
  readonly result: Result;
  readonly replayed: boolean;
  /** What a replica must have to show this write, as `X-Read-After` carries it. */
  readonly readMark: string;
}

const idempotencyArgument = ({ operation, keyHash, requestHash }: IdempotencyRecord): string =>
  JSON.stringify({ operation, key: keyHash, request_hash: requestHash });

const originArgument = ({ requestId, apiKeyId }: WriteOrigin): string =>
  JSON.stringify({ request_id: requestId, api_key_id: apiKeyId });

const writeSql = 'SELECT result, replayed, read_mark AS "readMark" FROM write($1, $2, $3, $4, $5)';

/**
 * Runs a write in one round trip and one transaction. Repeats it where the database says that nothing of it happened. A note is
 * never repeated, whatever the error: it has no natural key, so a mistake about what was committed would make two of it.
 * @throws Failure `not_found`, `precondition_failed`, `key_taken` or `too_many_contacts` as the record demands; `idempotency_mismatch`,
 * `idempotency_in_flight`
 */
export const runWrite = async <Result>(
  database: Database,
  organizationId: string,
  write: Write<Result>,
  idempotency: IdempotencyRecord | null,
  origin: WriteOrigin | null = null,
): Promise<Written<Result>> => {
  const values = [
    write.function,
    JSON.stringify(write.input),
    idempotency === null ? null : idempotencyArgument(idempotency),
    origin === null ? null : originArgument(origin),
  ];
  const run = async (): Promise<Written<Result>> => {
    const statement = { text: writeSql, values, isPrepared: true };
    const [row] = await database.query<Written<Result> & Record<string, unknown>>(organizationId, statement);
    if (row === undefined) throw new Error(`No row came back from ${write.function}`);
    return { ...row, readMark: readMarkText(row.readMark) };
  };
  return write.function === 'create_note' ? run() : retryTransaction(run);
};

/** What the first request of this key answered, with a mark, or null; @throws Failure `idempotency_mismatch` for another request. */
export const findStoredResult = async <Result>(
  database: Database,
  organizationId: string,
  idempotency: IdempotencyRecord,
): Promise<Written<Result> | null> => {
  const text = 'SELECT find_stored_result($1, $2) AS result, read_mark() AS "readMark"';
  const statement = { text, values: [idempotencyArgument(idempotency)] };
  const [row] = await database.query<{ result: Result | null; readMark: string }>(organizationId, statement);
  if (row === undefined || row.result === null) return null;
  return { result: row.result, replayed: true, readMark: readMarkText(row.readMark) };
};
