import { errorCatalogue, type ErrorCode } from '@crm/domain';
import type { OperationContract } from '../operation.js';
import { countedHeaders, commonHeaders, unauthorizedHeaders, waitHeaders } from './headers.js';
import { componentReference, type Json } from './json.js';

interface ErrorResponse {
  readonly status: number;
  readonly component: string;
  readonly code: ErrorCode;
  readonly description: string;
  readonly headers: Json;
  /** The properties of the example in addition to the envelope. */
  readonly example?: Json;
}

const errorResponses: readonly ErrorResponse[] = [
  {
    status: 400,
    component: 'BadRequest',
    code: 'validation_failed',
    description: 'The request is invalid; `errors` names every invalid field.',
    headers: countedHeaders,
    example: { errors: { pipeline_id: 'must be a valid UUID' } },
  },
  {
    status: 401,
    component: 'Unauthorized',
    code: 'unauthorized',
    description: 'The API key is missing, invalid or not allowed to call this operation.',
    // Failures are counted by address.
    headers: unauthorizedHeaders,
  },
  {
    status: 404,
    component: 'NotFound',
    code: 'not_found',
    description: 'The record in the path, or the pipeline, does not exist in the organization of the key.',
    headers: countedHeaders,
  },
  {
    status: 409,
    component: 'Conflict',
    code: 'conflict',
    description:
      'Another record has the natural key, `external_id` or name (`conflict`), the record is still in use ' +
      '(`counts`), a merge would give two opportunities the same natural key (`conflicts`), or a request with the ' +
      'same Idempotency-Key is still running (with Retry-After).',
    headers: waitHeaders,
    example: { conflict: { field: 'email', existing_id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4' } },
  },
  {
    status: 410,
    component: 'Gone',
    code: 'events_expired',
    description:
      'The events after this position have expired. The oldest retained event is at `oldest_position`. Copy all ' +
      'records again, then follow the log from there.',
    headers: countedHeaders,
    example: { oldest_position: 1_042 },
  },
  {
    status: 412,
    component: 'PreconditionFailed',
    code: 'precondition_failed',
    description: 'The record does not have the version in If-Match.',
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
    description: 'The body is not `application/json` in UTF-8, or is compressed.',
    headers: countedHeaders,
  },
  {
    status: 422,
    component: 'IdempotencyMismatch',
    code: 'idempotency_mismatch',
    description: 'The Idempotency-Key was already used with another request.',
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
    description: 'The address and headers together are larger than 16 KB, or there are more than 100 headers.',
    headers: commonHeaders,
  },
  {
    status: 500,
    component: 'InternalError',
    code: 'internal',
    description: 'An internal error. The logs contain it under the request id.',
    headers: commonHeaders,
  },
  {
    status: 503,
    component: 'Unavailable',
    code: 'unavailable',
    description:
      'The request cannot be served now. With Retry-After, it may succeed later. With `errors`, it took too long and ' +
      'would again: `errors` says what to change.',
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
