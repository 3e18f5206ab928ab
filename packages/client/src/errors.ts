import type { ErrorBody } from './types.js';

/** What went wrong, for programs; the status says the same. */
export type CrmErrorCode =
  | 'invalid_request'
  | 'unauthorized'
  | 'not_found'
  | 'conflict'
  | 'version_mismatch'
  | 'idempotency_key_reused'
  | 'too_large'
  | 'rate_limited'
  | 'unavailable'
  | 'unexpected';

const codes: Readonly<Record<number, CrmErrorCode>> = {
  400: 'invalid_request',
  401: 'unauthorized',
  404: 'not_found',
  409: 'conflict',
  412: 'version_mismatch',
  413: 'too_large',
  422: 'idempotency_key_reused',
  429: 'rate_limited',
  503: 'unavailable',
};

/** What every error of this client is. */
export class CrmError extends Error {
  override readonly name: string = 'CrmError';
}

/** The API refused. */
export class CrmApiError extends CrmError {
  override readonly name = 'CrmApiError';
  readonly status: number;
  readonly code: CrmErrorCode;
  /** The text about each field at fault, by its dotted path; empty when no field is. */
  readonly errors: Readonly<Record<string, string>>;
  /** On a conflict over a natural key: the field, and the id of the record that holds it. */
  readonly conflict: ErrorBody['conflict'];
  /** On the deletion of an account in use: how many records of each kind use it. */
  readonly counts: ErrorBody['counts'];
  /** Names the request in the logs of the gateway; null when what answered was no gateway. */
  readonly requestId: string | null;
  /** How long the gateway asked to wait; null when trying again would not help. */
  readonly retryAfterMs: number | null;

  constructor(
    status: number,
    body: Partial<Omit<ErrorBody, 'success'>>,
    requestId: string | null,
    retryAfterMs: number | null,
  ) {
    const errors = body.errors ?? {};
    const details = Object.entries(errors).map(([field, text]) => `${field}: ${text}`);
    super([body.message ?? `The API answered with status ${status}`, ...details].join('; '));
    this.status = status;
    this.code = codes[status] ?? 'unexpected';
    this.errors = errors;
    this.conflict = body.conflict;
    this.counts = body.counts;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** No answer came: the gateway could not be reached, the connection broke or the time was up. A write may have happened. */
export class CrmConnectionError extends CrmError {
  override readonly name = 'CrmConnectionError';
}
