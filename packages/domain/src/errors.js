/**
 * Every error of the API: its code, its HTTP status, and its default public text. The code is part of the contract
 * (`code` in the body), the text is not. If two codes share a status, the later one is the default for that status.
 */
export const errorCatalogue = {
    bad_request: { status: 400, message: 'The request is not valid HTTP' },
    validation_failed: { status: 400, message: 'Validation failed' },
    unauthorized: {
        status: 401,
        message: 'Unauthorized: a valid API key that allows this operation is required in the x-api-key header; ' +
            '`crm key check` shows what a key allows',
    },
    not_found: { status: 404, message: 'Not found' },
    method_not_allowed: { status: 405, message: 'Method not allowed' },
    request_timeout: { status: 408, message: 'The request took too long to arrive' },
    idempotency_in_flight: { status: 409, message: 'A request with this Idempotency-Key is in flight' },
    conflict: { status: 409, message: 'Conflict with an existing record' },
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
};
/** An error with a public response. Only the error handler turns its code into a status. */
export class ApiError extends Error {
    code;
    errors;
    extra;
    headers;
    constructor(code, details = {}) {
        super(details.message ?? errorCatalogue[code].message, { cause: details.cause });
        this.name = 'ApiError';
        this.code = code;
        this.errors = details.errors;
        this.extra = details.extra;
        this.headers = details.headers;
    }
    /** The HTTP status of this error. */
    get status() {
        return errorCatalogue[this.code].status;
    }
}
/** A 400 that names every invalid field. */
export const validationError = (errors) => new ApiError('validation_failed', { errors });
/** A 404 for a `pipeline_id` in a query or body that is unknown or another organization's. */
export const unknownPipeline = () => new ApiError('not_found', { errors: { pipeline_id: 'is not a pipeline of this organization' } });
/** The maximum number of field errors in one response. */
export const reportedErrors = 100;
/** The maximum number of field errors for one item of a bulk call. */
export const reportedItemErrors = 10;
/** Collects field errors by path and throws them together. The first text for a path wins. */
export class ErrorCollector {
    #errors = new Map();
    #most;
    /** @param most - the maximum number of errors */
    constructor(most = reportedErrors) {
        this.#most = most;
    }
    /** Adds an error for the field at `path`. Ignores a second error on the same path and errors past the limit. */
    add(path, message) {
        if (this.#errors.size < this.#most && !this.#errors.has(path))
            this.#errors.set(path, message);
    }
    /** Adds the reason why checking stopped. Replaces the last error if the limit is reached. */
    addLimit(path, message) {
        const last = [...this.#errors.keys()].at(-1);
        if (this.#errors.size >= this.#most && last !== undefined && !this.#errors.has(path))
            this.#errors.delete(last);
        this.add(path, message);
    }
    /** The errors collected so far. */
    get fieldErrors() {
        return Object.fromEntries(this.#errors);
    }
    /** Whether there is no error so far. */
    get isEmpty() {
        return this.#errors.size === 0;
    }
    /** @throws ApiError `validation_failed` with all errors, if there are any. */
    throwIfAny() {
        if (!this.isEmpty)
            throw validationError(this.fieldErrors);
    }
}
//# sourceMappingURL=errors.js.map