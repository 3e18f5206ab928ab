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
export declare const errorCatalogue: {
    readonly bad_request: {
        readonly status: 400;
        readonly message: 'The request is not valid HTTP';
    };
    readonly validation_failed: {
        readonly status: 400;
        readonly message: 'Validation failed';
    };
    readonly unauthorized: {
        readonly status: 401;
        readonly message: string;
    };
    readonly not_found: {
        readonly status: 404;
        readonly message: 'Not found';
    };
    readonly method_not_allowed: {
        readonly status: 405;
        readonly message: 'Method not allowed';
    };
    readonly request_timeout: {
        readonly status: 408;
        readonly message: 'The request took too long to arrive';
    };
    readonly idempotency_in_flight: {
        readonly status: 409;
        readonly message: 'A request with this Idempotency-Key is in flight';
    };
    readonly conflict: {
        readonly status: 409;
        readonly message: 'Conflict with an existing record';
    };
    readonly events_expired: {
        readonly status: 410;
        readonly message: 'Events after this position have expired: copy all records again';
    };
    readonly precondition_failed: {
        readonly status: 412;
        readonly message: 'The record has changed since the version in If-Match';
    };
    readonly payload_too_large: {
        readonly status: 413;
        readonly message: 'The request body is too large';
    };
    readonly unsupported_media_type: {
        readonly status: 415;
        readonly message: 'Content-Type must be application/json';
    };
    readonly idempotency_mismatch: {
        readonly status: 422;
        readonly message: 'This Idempotency-Key was used with another request';
    };
    readonly rate_limited: {
        readonly status: 429;
        readonly message: 'Rate limit exceeded';
    };
    readonly headers_too_large: {
        readonly status: 431;
        readonly message: 'The request headers are too large';
    };
    readonly internal: {
        readonly status: 500;
        readonly message: 'Internal server error';
    };
    readonly timeout: {
        readonly status: 503;
        readonly message: 'The database did not answer in time';
    };
    readonly unavailable: {
        readonly status: 503;
        readonly message: 'The service is temporarily unavailable, please retry';
    };
};
/** A key of {@link errorCatalogue}. */
export type ErrorCode = keyof typeof errorCatalogue;
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
/** An error with a public response. Only the error handler turns its code into a status. */
export declare class ApiError extends Error {
    readonly code: ErrorCode;
    readonly errors: FieldErrors | undefined;
    readonly extra: Readonly<Record<string, unknown>> | undefined;
    readonly headers: Readonly<Record<string, string>> | undefined;
    constructor(code: ErrorCode, details?: ApiErrorDetails);
    /** The HTTP status of this error. */
    get status(): number;
}
/** A 400 that names every invalid field. */
export declare const validationError: (errors: FieldErrors) => ApiError;
/** A 404 for a `pipeline_id` in a query or body that is unknown or another organization's. */
export declare const unknownPipeline: () => ApiError;
/** The maximum number of field errors in one response. */
export declare const reportedErrors = 100;
/** The maximum number of field errors for one item of a bulk call. */
export declare const reportedItemErrors = 10;
/** Collects field errors by path and throws them together. The first text for a path wins. */
export declare class ErrorCollector {
    #private;
    /** @param most - the maximum number of errors */
    constructor(most?: number);
    /** Adds an error for the field at `path`. Ignores a second error on the same path and errors past the limit. */
    add(path: string, message: string): void;
    /** Adds the reason why checking stopped. Replaces the last error if the limit is reached. */
    addLimit(path: string, message: string): void;
    /** The errors collected so far. */
    get fieldErrors(): FieldErrors;
    /** Whether there is no error so far. */
    get isEmpty(): boolean;
    /** @throws ApiError `validation_failed` with all errors, if there are any. */
    throwIfAny(): void;
}
