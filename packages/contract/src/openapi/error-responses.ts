import { errorCatalogue, type ErrorCode } from '@crm/domain';
import type { OperationContract } from '../operation.js';
import { countedHeaders, standingHeaders, unauthorizedHeaders, waitHeaders } from './headers.js';
import { componentReference, type Json } from './json.js';

interface ErrorResponse {
  readonly status: number;
  readonly component: string;
  readonly code: ErrorCode;
  readonly description: string;
  readonly headers: Json;
  /** The properties of the example besides the envelope. */
  readonly example?: Json;
}

const errorResponses: readonly ErrorResponse[] = [
  {
    status: 400,
    component: 'BadRequest',
    code: 'validation_failed',
    description: 'The request is not valid; `errors` names every field at fault.',
    headers: countedHeaders,
    example: { errors: { pipeline_id: 'must be a valid UUID' } },
  },
  {
    status: 401,
    component: 'Unauthorized',
    code: 'unauthorized',
    description: 'The API key is missing, not valid, or not allowed to call this operation.',
    // Failures are counted by address.
    headers: unauthorizedHeaders,
  },
  {
    status: 404,
    component: 'NotFound',
    code: 'not_found',
    description: 'The record of the path, or the pipeline, does not exist in the key’s organization.',
    headers: countedHeaders,
  },
  {
    status: 409,
    component: 'Conflict',
    code: 'conflict',
    description:
      'Another record holds the natural key (`conflict`), the record is still in use (`counts`), or a request with ' +
      'the same Idempotency-Key is in flight (with Retry-After).',
    headers: waitHeaders,
    example: { conflict: { field: 'email', existing_id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4' } },
  },
  {
    status: 410,
    component: 'Gone',
    code: 'events_expired',
    description:
      'Events after this position are no longer retained: `oldest_position` is the oldest that is. Make a new copy of ' +
      'the records, then follow the log from there.',
    headers: countedHeaders,
    example: { oldest_position: 1_042 },
  },
  {
    status: 412,
    component: 'PreconditionFailed',
    code: 'precondition_failed',
    description: 'The record has another version than If-Match says.',
    headers: countedHeaders,
  },
  {
    status: 413,
    component: 'PayloadTooLarge',
    code: 'payload_too_large',
    description: 'The body is larger than 256 KB (4 MB in bulk operations).',
    headers: countedHeaders,
  },
  {
    status: 415,
    component: 'UnsupportedMediaType',
    code: 'unsupported_media_type',
    description: 'The body is not `application/json` in UTF-8.',
    headers: countedHeaders,
  },
  {
    status: 422,
    component: 'IdempotencyMismatch',
    code: 'idempotency_mismatch',
    description: 'The Idempotency-Key was used with another request.',
    headers: countedHeaders,
  },
  {
    status: 429,
    component: 'TooManyRequests',
    code: 'rate_limited',
    description: 'The rate limit is used up; wait as long as Retry-After says.',
    headers: waitHeaders,
  },
  {
    status: 431,
    component: 'HeadersTooLarge',
    code: 'headers_too_large',
    description: 'The headers and the address are larger than 16 KB together, or there are more than 100 headers.',
    headers: standingHeaders,
  },
  {
    status: 500,
    component: 'InternalError',
    code: 'internal',
    description: 'An internal error; the request id finds it in the logs.',
    headers: standingHeaders,
  },
  {
    status: 503,
    component: 'Unavailable',
    code: 'unavailable',
    description:
      'Not available now. With Retry-After, the same request may succeed later; with `errors`, a search took too long ' +
      'and has to be narrowed.',
    headers: waitHeaders,
  },
];

const answeredByAll = [400, 401, 429, 431, 500, 503];
const answeredToBodies = [413, 415];

const toResponse = ({ status, code, description, headers, example }: ErrorResponse): Json => ({
  description,
  headers,
  content: {
    'application/json': {
      schema: componentReference('schemas', 'Error'),
      example: { success: false, message: errorCatalogue[code].message, statusCode: status, code, ...example },
    },
  },
});

/** The shared error responses, by component name. */
export const errorResponseComponents = (statuses: ReadonlySet<number>): Json =>
  Object.fromEntries(
    errorResponses
      .filter(({ status }) => statuses.has(status))
      .map((response) => [response.component, toResponse(response)]),
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
      const response = errorResponses.find((candidate) => candidate.status === status);
      if (response === undefined) throw new Error(`No error response is declared for status ${status}`);
      return [String(status), componentReference('responses', response.component)];
    }),
  );
