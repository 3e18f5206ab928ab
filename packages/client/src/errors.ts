import type { ErrorBody } from './types.js';

/**
 * The cause of an error, for programs: the code of the gateway's response, or `unexpected_answer` if the response is
 * not from a gateway (a proxy's own page). Later versions of the API may add codes.
 */
export type CrmErrorCode = ErrorBody['code'] | 'unexpected_answer';

/** The base class of all errors of this client. */
export class CrmError extends Error {
  override readonly name: string = 'CrmError';
}

/** The properties of an error. */
export interface ApiErrorParts {
  readonly status: number;
  readonly body: Partial<Omit<ErrorBody, 'success'>>;
  readonly requestId: string | null;
  readonly retryAfterMs: number | null;
}

/** The API refused the request. Each kind of refusal that programs handle has its own class. */
export class CrmApiError extends CrmError {
  override readonly name: string = 'CrmApiError';
  readonly status: number;
  readonly code: CrmErrorCode;
  /** The error text of each invalid field, by its dotted path; empty if there is none. */
  readonly errors: Readonly<Record<string, string>>;
  /** If another record has the natural key, external id, name, label or slug: the field, and the id of that record. */
  readonly conflict: ErrorBody['conflict'];
  /** On a merge that would give opportunities the natural keys of others: these pairs. */
  readonly conflicts: ErrorBody['conflicts'];
  /** If an account, stage or member is still in use: how many records of each kind use it. */
  readonly counts: ErrorBody['counts'];
  /** If the record was merged: the id of the record that it was merged into, which may have been deleted since. */
  readonly mergedInto: ErrorBody['merged_into'];
  /** If events have expired: the position of the oldest retained event. */
  readonly oldestPosition: ErrorBody['oldest_position'];
  /** The id of the request in the gateway's logs; null if the response is not from a gateway. */
  readonly requestId: string | null;
  /** How long the gateway asked to wait; null if it did not ask. */
  readonly retryAfterMs: number | null;

  constructor({ status, body, requestId, retryAfterMs }: ApiErrorParts) {
    const errors = body.errors ?? {};
    const details = Object.entries(errors).map(([field, text]) => `${field}: ${text}`);
    const { message = `The API answered with status ${status}`, conflict } = body;
    const taken = conflict === undefined ? '' : `: ${conflict.existing_id} has this ${conflict.field}`;
    super([`${message}${taken}`, ...details].join('; '));
    this.status = status;
    this.code = body.code ?? 'unexpected_answer';
    this.errors = errors;
    this.conflict = conflict;
    this.conflicts = body.conflicts;
    this.counts = body.counts;
    this.mergedInto = body.merged_into;
    this.oldestPosition = body.oldest_position;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/** 400: the request is invalid; `errors` names every invalid field. */
export class CrmValidationError extends CrmApiError {
  override readonly name = 'CrmValidationError';
}

/** 401: the key is missing or unknown, or does not allow the operation. */
export class CrmUnauthorizedError extends CrmApiError {
  override readonly name = 'CrmUnauthorizedError';
}

/** 404: there is no such record. If it was merged, `mergedInto` names the record that it was merged into. */
export class CrmNotFoundError extends CrmApiError {
  override readonly name = 'CrmNotFoundError';
}

/** 409: another record has the key (`conflict`), a merge would duplicate keys (`conflicts`), or the record is in use (`counts`). */
export class CrmConflictError extends CrmApiError {
  override readonly name = 'CrmConflictError';
}

/** 412: the record has changed since the version in `ifVersion`. */
export class CrmVersionError extends CrmApiError {
  override readonly name = 'CrmVersionError';
}

/** 409 or 422: the first request with the idempotency key is still running, or the key was used with another request. */
export class CrmIdempotencyError extends CrmApiError {
  override readonly name = 'CrmIdempotencyError';
}

/** 429: a rate limit is used up. */
export class CrmRateLimitError extends CrmApiError {
  override readonly name = 'CrmRateLimitError';
}

/** 5xx: the API cannot answer now, or the request took too long (`code` is `timeout`). */
export class CrmUnavailableError extends CrmApiError {
  override readonly name = 'CrmUnavailableError';
}

/**
 * There was no response: the gateway was unreachable, the connection broke or the call timed out. A write may have
 * happened.
 */
export class CrmConnectionError extends CrmError {
  override readonly name = 'CrmConnectionError';
}

/**
 * The change log cannot be read from this position any more. Get the latest position, copy all records again, then read the log from
 * that position.
 */
export class CrmStartOverError extends CrmError {
  override readonly name = 'CrmStartOverError';
  /** Events after the position are no longer retained, or the database was restored from a backup and has another log. */
  readonly reason: 'events_expired' | 'log_changed';
  /** If events expired: the position of the oldest readable one. */
  readonly oldestPosition: number | undefined;
  /** If it is another log: its `log_id`. */
  readonly logId: string | undefined;

  constructor(
    reason: CrmStartOverError['reason'],
    details: { readonly oldestPosition?: number | undefined; readonly logId?: string; readonly cause?: unknown } = {},
  ) {
    const why =
      reason === 'events_expired'
        ? 'Events after this position have expired'
        : 'The change log has another log_id than expected';
    super(`${why}: copy all records again`, { cause: details.cause });
    this.reason = reason;
    this.oldestPosition = details.oldestPosition;
    this.logId = details.logId;
  }
}

/** By status, or by code for the less common of two codes with the same status. */
const classes: ReadonlyMap<number | string, typeof CrmApiError> = new Map<number | string, typeof CrmApiError>([
  [400, CrmValidationError],
  [401, CrmUnauthorizedError],
  [404, CrmNotFoundError],
  [409, CrmConflictError],
  [412, CrmVersionError],
  [422, CrmIdempotencyError],
  [429, CrmRateLimitError],
  [500, CrmUnavailableError],
  [502, CrmUnavailableError],
  [503, CrmUnavailableError],
  [504, CrmUnavailableError],
  ['idempotency_in_flight', CrmIdempotencyError],
]);

/** The error for a response, of the class for its code or else for its status. */
export const toApiError = (parts: ApiErrorParts): CrmApiError =>
  new (classes.get(parts.body.code ?? '') ?? classes.get(parts.status) ?? CrmApiError)(parts);
