import type { Result } from './result.js';

/**
 * Error texts by the dotted path of a request field, such as `related_objects.owner_email` or `filters[2].operator`.
 *
 * Most texts complete the sentence "the field …": `must have at most 255 characters`, `is archived`. Others start with
 * the sent text in quotes (`"x" is reserved`) or name the fault (`unknown field "x"`, `cannot sort by "x"`). A text may
 * continue after a colon with what to do. None starts with a capital letter or ends with a full stop. The same fault
 * has the same text everywhere.
 */
export type FieldErrors = Readonly<Record<string, string>>;

/**
 * Every error of the API: its code, its HTTP status, and its default public text. The code is part of the contract
 * (`code` in the body), the text is not. If two codes share a status, the later one is the default for that status.
 */
export const errorCatalogue = {
  bad_request: { status: 400, message: 'The request is not valid HTTP' },
  validation_failed: { status: 400, message: 'Validation failed' },
  unauthorized: {
    status: 401,
    message:
      'Unauthorized: a valid API key that allows this operation is required in the x-api-key header; ' +
      '`crm key check` shows what a key allows',
  },
  not_found: { status: 404, message: 'Not found' },
  method_not_allowed: { status: 405, message: 'Method not allowed' },
  request_timeout: { status: 408, message: 'The request took too long to arrive' },
  idempotency_in_flight: { status: 409, message: 'A request with this Idempotency-Key is in flight' },
  conflict: { status: 409, message: 'Conflict with an existing record' },
  log_changed: { status: 410, message: 'This position belongs to another log: copy all records again' },
  events_expired: { status: 410, message: 'Events after this position have expired: copy all records again' },
  precondition_failed: { status: 412, message: 'The record has changed since the version in If-Match' },
  payload_too_large: { status: 413, message: 'The request body is too large' },
  unsupported_media_type: { status: 415, message: 'Content-Type must be application/json' },
  idempotency_mismatch: { status: 422, message: 'This Idempotency-Key was used with another request' },
  rate_limited: { status: 429, message: 'Rate limit exceeded' },
  headers_too_large: { status: 431, message: 'The request headers are too large' },
  internal: { status: 500, message: 'Internal server error' },
  timeout: { status: 503, message: 'The database did not answer in time' },
  unavailable: { status: 503, message: 'The service is temporarily unavailable, please retry' },
} as const;

/** A key of {@link errorCatalogue}. */
export type ErrorCode = keyof typeof errorCatalogue;

/** Errors that pass by themselves, so that the same request may succeed after a second. */
const passing: ReadonlySet<ErrorCode> = new Set(['idempotency_in_flight', 'timeout', 'unavailable']);

/** Optional details of an error. */
export interface ApiErrorDetails {
  /** Public text; by default the text in the catalogue. */
  readonly message?: string;
  /** Field errors of a refused request, all of them at once. */
  readonly errors?: FieldErrors;
  /** Further public properties of the error body, such as `conflict`. */
  readonly extra?: Readonly<Record<string, unknown>>;
  /** Response headers, such as `Allow` or `Retry-After`. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The internal error; logged, never sent. */
  readonly cause?: unknown;
}

/**
 * An error with a public response. Only the error handler turns its code into a status. Every 503 has `Retry-After`, unless its
 * `errors` say what to change because the same request would fail again.
 */
export class ApiError extends Error {
  readonly code: ErrorCode;
  readonly errors: FieldErrors | undefined;
  readonly extra: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, string>> | undefined;

  constructor(code: ErrorCode, details: ApiErrorDetails = {}) {
    super(details.message ?? errorCatalogue[code].message, { cause: details.cause });
    this.name = 'ApiError';
    this.code = code;
    this.errors = details.errors;
    this.extra = details.extra;
    const retry = passing.has(code) && details.errors === undefined ? { 'Retry-After': '1' } : undefined;
    this.headers = retry === undefined ? details.headers : { ...retry, ...details.headers };
  }

  /** The HTTP status of this error. */
  get status(): number {
    return errorCatalogue[this.code].status;
  }
}

/** A 400 that names every invalid field. */
export const validationError = (errors: FieldErrors): ApiError => new ApiError('validation_failed', { errors });

/** A 404 for a `pipeline_id` in a query or body that is unknown or another organization's. */
export const unknownPipeline = (): ApiError =>
  new ApiError('not_found', { errors: { pipeline_id: 'is not a pipeline of this organization' } });

/** The maximum number of field errors in one response. */
export const reportedErrors = 100;

/** Error texts of one request that may suggest a name. Each suggestion compares the sent name with hundreds of known ones. */
export const suggestionsPerRequest = 5;

/** The maximum number of field errors for one item of a bulk call. */
export const reportedItemErrors = 10;

/** Collects field errors by path and throws them together. The first text for a path wins. */
export class ErrorCollector {
  readonly #errors = new Map<string, string>();
  readonly #most: number;
  #suggestions = suggestionsPerRequest;

  /** @param most - the maximum number of errors */
  constructor(most = reportedErrors) {
    this.#most = most;
  }

  /** Adds an error for the field at `path`. Ignores a second error on the same path and errors past the limit. */
  add(path: string, message: string): void {
    if (this.#errors.size < this.#most && !this.#errors.has(path)) this.#errors.set(path, message);
  }

  /** The value of a result. Adds the error of a failed one and returns undefined. */
  read<T>(path: string, result: Result<T>): T | undefined {
    if (result.ok) return result.value;
    this.add(path, result.message);
    return undefined;
  }

  /** Adds the reason why checking stopped. Replaces the last error if the limit is reached. */
  addLimit(path: string, message: string): void {
    const last = [...this.#errors.keys()].at(-1);
    if (this.#errors.size >= this.#most && last !== undefined && !this.#errors.has(path)) this.#errors.delete(last);
    this.add(path, message);
  }

  /** Whether the next error text may suggest a name. Each call uses up one of {@link suggestionsPerRequest}. */
  takeSuggestion(): boolean {
    this.#suggestions -= 1;
    return this.#suggestions >= 0;
  }

  /** The errors collected so far. */
  get fieldErrors(): FieldErrors {
    return Object.fromEntries(this.#errors);
  }

  /** Whether there is no error so far. */
  get isEmpty(): boolean {
    return this.#errors.size === 0;
  }

  /** @throws ApiError `validation_failed` with all errors, if there are any. */
  throwIfAny(): void {
    if (!this.isEmpty) throw validationError(this.fieldErrors);
  }
}
