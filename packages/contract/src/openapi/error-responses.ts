import { errorCatalogue, type ErrorCode } from '@crm/domain';
import type { OperationContract } from '../operation.js';
import { countedHeaders, commonHeaders, unauthorizedHeaders, waitHeaders } from './headers.js';
import { componentReference, type Json } from './json.js';

interface ErrorResponse {
  readonly component: string;
  readonly description: string;
  /** By default those of a counted request. */
  readonly headers?: Json;
  /** The properties of the example in addition to the envelope. */
  readonly example?: Json;
}

/** By code; each has another status. */
const errorResponses: Readonly<Partial<Record<ErrorCode, ErrorResponse>>> = {
  validation_failed: {
    component: 'BadRequest',
    description: 'The request is invalid; `errors` names every invalid field.',
    example: { errors: { pipeline_id: 'must be a valid UUID' } },
  },
  unauthorized: {
    component: 'Unauthorized',
    description: 'The API key is missing, invalid or not allowed to call this operation.',
    // Failures are counted by address.
    headers: unauthorizedHeaders,
  },
  not_found: {
    component: 'NotFound',
    description: 'The record in the path, or the pipeline, does not exist in the organization of the key.',
  },
  conflict: {
    component: 'Conflict',
    description:
      'Another record has the natural key, `external_id` or name (`conflict`), the record is still in use ' +
      '(`counts`), a merge would give two opportunities the same natural key (`conflicts`), or a request with the ' +
      'same Idempotency-Key is still running (with Retry-After).',
    headers: waitHeaders,
    example: { conflict: { field: 'email', existing_id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4' } },
  },
  events_expired: {
    component: 'Gone',
    description:
      'The events after this position have expired, and the oldest retained event is at `oldest_position`; or the ' +
      'position belongs to another log than `log_id`. Copy all records again, then follow the log from there.',
    example: { oldest_position: 1_042 },
  },
  precondition_failed: {
    component: 'PreconditionFailed',
    description: 'The record does not have the version in If-Match, or has one that If-None-Match refuses.',
  },
  payload_too_large: {
    component: 'PayloadTooLarge',
    description: 'The body is larger than 256 KB (4 MB in bulk operations).',
  },
  unsupported_media_type: {
    component: 'UnsupportedMediaType',
    description: 'The body is not `application/json` in UTF-8, or is compressed.',
  },
  idempotency_mismatch: {
    component: 'IdempotencyMismatch',
    description: 'The Idempotency-Key was already used with another request.',
  },
  rate_limited: {
    component: 'TooManyRequests',
    description: 'The rate limit is used up; wait as long as Retry-After says.',
    headers: waitHeaders,
  },
  headers_too_large: {
    component: 'HeadersTooLarge',
    description: 'The address and headers together are larger than 16 KB, or there are more than 100 headers.',
    headers: commonHeaders,
  },
  internal: {
    component: 'InternalError',
    description: 'An internal error. The logs contain it under the request id.',
    headers: commonHeaders,
  },
  unavailable: {
    component: 'Unavailable',
    description:
      'The request cannot be served now. With Retry-After, it may succeed later. With `errors`, it took too long and ' +
      'would again: `errors` says what to change.',
    headers: waitHeaders,
  },
};

const answeredByAll = [400, 401, 429, 431, 500, 503];
const answeredToBodies = [413, 415];

const toResponse = (code: ErrorCode, { description, headers = countedHeaders, example }: ErrorResponse): Json => {
  const { status, message } = errorCatalogue[code];
  const body = { success: false, message, statusCode: status, code, ...example };
  return {
    description,
    headers,
    content: { 'application/json': { schema: componentReference('schemas', 'Error'), example: body } },
  };
};

const responseEntries = Object.entries(errorResponses) as [ErrorCode, ErrorResponse][];

/** The shared error responses, by component name. */
export const errorResponseComponents = (statuses: ReadonlySet<number>): Json =>
  Object.fromEntries(
    responseEntries
      .filter(([code]) => statuses.has(errorCatalogue[code].status))
      .map(([code, response]) => [response.component, toResponse(code, response)]),
  );

/** The error statuses that an operation can answer, in order. */
export const errorStatusesOf = (contract: OperationContract): readonly number[] => {
  const bodies = contract.body === undefined ? [] : answeredToBodies;
  return [...new Set([...answeredByAll, ...bodies, ...(contract.errors ?? [])])].sort((a, b) => a - b);
};

/** References to the shared error responses, by status. @throws Error for an undeclared status. */
export const errorReferences = (statuses: readonly number[]): Json =>
  Object.fromEntries(
    statuses.map((status) => {
      const [, response] = responseEntries.find(([code]) => errorCatalogue[code].status === status) ?? [];
      if (response === undefined) throw new Error(`No error response is declared for status ${status}`);
      return [String(status), componentReference('responses', response.component)];
    }),
  );
