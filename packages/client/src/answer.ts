import type { Warning } from './types.js';

/** The answer of a call. */
export interface Answer<Data> {
  readonly data: Data;
  /** The gateway's own words. */
  readonly message: string;
  /** Names the request in the logs of the gateway. */
  readonly requestId: string | null;
  /** Of a record: rises with every change; null for others. */
  readonly version: number | null;
}

/** The answer of a write. */
export interface WriteAnswer<Data> extends Answer<Data> {
  /** What was sent and not applied; empty when everything was. */
  readonly warnings: readonly Warning[];
  /** Whether the record was made, found as it is, or found and changed; null where nothing is said of it. */
  readonly recordStatus: 'created' | 'matched' | 'updated' | null;
  /** Whether this is the first answer of an earlier call with the same idempotency key. */
  readonly isReplay: boolean;
  /** Hand it to a read that has to see this write. */
  readonly readAfter: string | null;
}

/** The body of a success. */
export interface SuccessBody {
  readonly success: boolean;
  readonly message: string;
  readonly data: unknown;
  readonly warnings?: readonly Warning[];
}

const versionOf = (etag: string | null): number | null => {
  const digits = /^"(\d+)"$/.exec(etag ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
};

/** Reads an answer; the caller knows from the operation what `data` is. */
export const toAnswer = <Data>(headers: Headers, body: SuccessBody): WriteAnswer<Data> => ({
  data: body.data as Data,
  message: body.message,
  requestId: headers.get('x-request-id'),
  version: versionOf(headers.get('etag')),
  warnings: body.warnings ?? [],
  recordStatus: headers.get('x-record-status') as WriteAnswer<Data>['recordStatus'],
  isReplay: headers.get('idempotent-replayed') === 'true',
  readAfter: headers.get('x-read-after'),
});
