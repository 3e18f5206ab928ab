import type { Warning } from './types.js';

/** The response of a call. */
export interface Answer<Data> {
  readonly data: Data;
  /** The gateway's message. */
  readonly message: string;
  /** The id of the request in the gateway's logs. */
  readonly requestId: string | null;
  /** The version of the record in the response; null for other responses. */
  readonly version: number | null;
}

/** The response of a write. */
export interface WriteAnswer<Data> extends Answer<Data> {
  /** The values in the request that were not applied; usually empty. */
  readonly warnings: readonly Warning[];
  /** Whether the record was created, found unchanged, or found and changed; null for responses without a status. */
  readonly recordStatus: 'created' | 'matched' | 'updated' | null;
  /** Whether this is the stored response of an earlier call with the same idempotency key. */
  readonly isReplay: boolean;
  /** Pass it to a read that has to see this write. */
  readonly readAfter: string | null;
}

/** The body of a success. */
export interface SuccessBody {
  readonly success: boolean;
  readonly message: string;
  readonly data: unknown;
  readonly warnings?: readonly Warning[];
}

/** A tag begins with the version. Proxies that compress responses weaken the tag, or add to its end. */
const versionOf = (etag: string | null): number | null => {
  const digits = /^(?:W\/)?"(\d+)(?:[.;-][^"]*)?"$/.exec(etag ?? '')?.[1];
  return digits === undefined ? null : Number(digits);
};

/** Reads a response; the operation determines the type of `data`. */
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
