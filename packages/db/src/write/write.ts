import { context, propagation } from '@opentelemetry/api';
import type { Change } from '@crm/domain';
import type { Database } from '../database.js';
import { retryTransaction } from '../database-errors.js';
import { type Refusal, throwIfRefused } from '../errors.js';
import { readMarkText } from '../read-mark.js';

/** The SQL write functions that {@link runWrite} can call. */
export type WriteFunction =
  | `${'create' | 'update' | 'delete'}_${'opportunity' | 'contact' | 'account'}`
  | 'create_note'
  | 'restore_account'
  | 'restore_opportunity'
  | 'update_note'
  | 'delete_note'
  | `merge_${'contact' | 'account'}`
  | `preview_${'contact' | 'account'}_merge`
  | 'create_together'
  | 'write_many';

/**
 * One write, ready to run. The other files of this folder create it from a normalized request. {@link runWrite} runs one write, and
 * `runWrites` runs many in one transaction.
 */
export interface Write<Result> {
  readonly function: WriteFunction;
  readonly input: object;
  /** Never set. It only carries the type of the result. */
  readonly result?: Result;
}

/**
 * Whether a write has values that only a record which has them may keep. The setup decides which values these are, so the
 * caller reads such a request with a setup that is not cached.
 */
export const isConditional = ({ input }: Write<unknown>): boolean =>
  (input as { readonly change?: Partial<Change> }).change?.if_stored !== undefined;

/** What a write did: created a record, changed it, or found it without a change. */
export type RecordStatus = 'created' | 'matched' | 'updated';

/** The result of a create or an update. */
export interface WrittenRecord {
  readonly id: string;
  readonly record_status: RecordStatus;
  /** The version after this write. */
  readonly version: number;
  /** Of an opportunity: its amount and currency after a create, or after an update that sets one of them. */
  readonly amount?: number | null;
  readonly currency?: string | null;
}

/** The result of a create that may find an existing record. */
export interface CreatedRecord extends WrittenRecord {
  /** Sent values that differ from the stored ones and were not applied: column names, and custom fields as `custom__slug`. */
  readonly unapplied: readonly string[];
}

/** Which record to update. */
export interface UpdateTarget {
  readonly id: string;
  /** The version that the record must have. By default any. */
  readonly version?: number | undefined;
}

/** What a create does if the record exists: keep its values, or update it with the sent values. */
export type OnMatch = 'keep' | 'update';

/** The stored data of an `Idempotency-Key`. It makes a repeated request take effect only once. */
export interface IdempotencyRecord {
  /** The operation id. Each operation has its own key space. */
  readonly operation: string;
  /** SHA-256 of the key. The key itself is not stored, because clients put emails into keys, which an erasure could not find. */
  readonly keyHash: string;
  /** A digest of the request. A different request with the same key is refused. */
  readonly requestHash: string;
}

/** The request that causes a write. The events of the write contain it. */
export interface WriteOrigin {
  readonly requestId: string;
  readonly apiKeyId: string;
}

/** The result of a write, or the stored result of the first request with the same key. */
export interface Written<Result> {
  readonly result: Result;
  readonly replayed: boolean;
  /** The value of `X-Read-After`: the state that a replica must have reached to show this write. */
  readonly readMark: string;
}

const idempotencyArgument = ({ operation, keyHash, requestHash }: IdempotencyRecord): string =>
  JSON.stringify({ operation, key: keyHash, request_hash: requestHash });

const originArgument = ({ requestId, apiKeyId }: WriteOrigin): string => {
  // Without tracing, nothing is injected.
  const trace: { traceparent?: string } = {};
  propagation.inject(context.active(), trace);
  return JSON.stringify({ request_id: requestId, api_key_id: apiKeyId, traceparent: trace.traceparent });
};

/** A create as an item of `create_together`, with the trace in progress. */
export const itemText = (
  { input }: Write<unknown>,
  idempotency: IdempotencyRecord | null,
  origin: WriteOrigin,
): string => {
  const once = idempotency === null ? '' : `"idempotency":${idempotencyArgument(idempotency)},`;
  return `{${once}"origin":${originArgument(origin)},"input":${JSON.stringify(input)}}`;
};

const writeSql = 'SELECT result, replayed, read_mark AS "readMark", refusal FROM write($1, $2, $3, $4, $5)';

/**
 * Runs a write in one round trip and one transaction, and retries it after errors that guarantee a rollback.
 * @throws Failure `not_found`, `precondition_failed`, `key_taken`, `too_many_contacts` and others, depending on the function;
 * `idempotency_mismatch`, `idempotency_in_flight`
 * @throws ItemsRefused from `write_many`
 */
export const runWrite = <Result>(
  database: Database,
  organizationId: string,
  write: Write<Result>,
  idempotency: IdempotencyRecord | null,
  origin: WriteOrigin | null = null,
): Promise<Written<Result>> => {
  const text = { function: write.function, input: JSON.stringify(write.input) };
  return runWriteText(database, organizationId, text, idempotency, origin);
};

/** Like {@link runWrite}, with the input as JSON text. */
export const runWriteText = async <Result>(
  database: Database,
  organizationId: string,
  write: { readonly function: WriteFunction; readonly input: string },
  idempotency: IdempotencyRecord | null,
  origin: WriteOrigin | null,
): Promise<Written<Result>> => {
  const values = [
    write.function,
    write.input,
    idempotency === null ? null : idempotencyArgument(idempotency),
    origin === null ? null : originArgument(origin),
  ];
  return retryTransaction(async () => {
    const statement = { text: writeSql, values };
    const [row] = await database.query<Written<Result> & { refusal: Refusal | null }>(organizationId, statement);
    if (row === undefined) throw new Error(`${write.function} returned no row`);
    const { refusal, result, replayed, readMark } = row;
    throwIfRefused(refusal);
    return { result, replayed, readMark: readMarkText(readMark) };
  });
};

/** The stored result of the first request with this key, or null. @throws Failure `idempotency_mismatch` for a different request */
export const findStoredResult = async <Result>(
  database: Database,
  organizationId: string,
  idempotency: IdempotencyRecord,
): Promise<Written<Result> | null> => {
  const text = 'SELECT f.result, f.refusal, read_mark() AS "readMark" FROM find_stored_result($1, $2) f';
  const statement = { text, values: [idempotencyArgument(idempotency)] };
  type Row = { result: Result | null; readMark: string; refusal: Refusal | null };
  const [row] = await database.query<Row>(organizationId, statement);
  throwIfRefused(row?.refusal ?? null);
  if (row === undefined || row.result === null) return null;
  return { result: row.result, replayed: true, readMark: readMarkText(row.readMark) };
};
