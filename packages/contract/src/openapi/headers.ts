import type { OperationContract } from '../operation.js';
import { componentReference, type Json } from './json.js';

const header = (description: string, example: string | number, required = false): Json => ({
  description,
  ...(required ? { required } : {}),
  schema: typeof example === 'number' ? { type: 'integer', format: 'int32' } : { type: 'string' },
  example,
});

/** The response headers that answers share. */
export const headerComponents: Json = {
  'X-Request-Id': header(
    'Id of this request in the logs: the one that you sent if it was well-formed, otherwise a new one.',
    'req-7f3a9c',
    true,
  ),
  'RateLimit-Policy': header('The limits that the request counts against.', '"key-list";q=1200;w=60'),
  RateLimit: header(
    'Remaining requests, and the seconds until the full limit is available again.',
    '"key-list";r=1199;t=60',
  ),
  'Retry-After': header('Seconds to wait before a retry.', 12),
  'WWW-Authenticate': header('How to authenticate.', 'ApiKey', true),
};

const references = (names: readonly string[]): Json =>
  Object.fromEntries(names.map((name) => [name, componentReference('headers', name)]));

/** Headers of a 304. */
export const unchangedHeaders: Json = {
  ...references(['X-Request-Id', 'RateLimit-Policy', 'RateLimit']),
  ETag: { description: 'The tag that If-None-Match named.', required: true, schema: { type: 'string' } },
  'X-Record-Version': { description: 'Version of the record.', required: true, schema: { type: 'string' } },
};
/** Headers of every response. */
export const commonHeaders = references(['X-Request-Id']);
/** Headers of every response to a counted request. */
export const countedHeaders = references(['X-Request-Id', 'RateLimit-Policy', 'RateLimit']);
/** Headers of a 401. */
export const unauthorizedHeaders = references(['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'WWW-Authenticate']);
/** Headers of a response that asks the caller to wait. */
export const waitHeaders = references(['X-Request-Id', 'RateLimit-Policy', 'RateLimit', 'Retry-After']);

/** On replayed responses only. */
const replayHeader = 'Idempotent-Replayed';

/** The headers of an operation's success response. */
export const successHeaders = (contract: OperationContract): Json => ({
  ...countedHeaders,
  ...Object.fromEntries(
    Object.entries(contract.headers ?? {}).map(([name, description]) => [
      name,
      { description, ...(name === replayHeader ? {} : { required: true }), schema: { type: 'string' } },
    ]),
  ),
});

const parameter = (name: string, description: string, schema: Json): Json => ({
  name,
  in: 'header',
  required: false,
  description,
  schema,
});

const tag = '(W/)?"[1-9][0-9]{0,8}([.][0-9a-f]+)?((--?|;)(gzip|gz|br|zstd|deflate))?"';

/** The form of `If-Match`: one or more tags of records, as the inbound gateway reads them, or `*`. */
const ifMatchPattern = `^([*]|${tag}([ \\t]*,[ \\t]*${tag})*)$`;

/** The request headers that operations share. */
export const headerParameterComponents: Json = {
  RequestId: parameter(
    'X-Request-Id',
    'Your id for this request. Returned and logged if it has 8 to 128 letters, digits and `-_.:#=+/`; otherwise replaced.',
    { type: 'string' },
  ),
  IdempotencyKey: parameter(
    'Idempotency-Key',
    'A repeat with the same key within 24 hours gets the first response again. Another request with the same key ' +
      'gets 422. While the first request is running, a repeat gets 409 with Retry-After.',
    { type: 'string', minLength: 1, maxLength: 255 },
  ),
  ReadAfter: parameter(
    'X-Read-After',
    'The `X-Read-After` of a write: this read then sees that write. It may wait up to 500 ms for it.',
    { type: 'string', maxLength: 255 },
  ),
  IfNoneMatch: parameter(
    'If-None-Match',
    'The `ETag` of a response that you have. If the response would be the same, it is 304 without a body.',
    { type: 'string' },
  ),
  IfMatch: parameter(
    'If-Match',
    'Apply the call only if the record has this version: an `ETag`, or `"3"`. Otherwise 412.',
    { type: 'string', pattern: ifMatchPattern },
  ),
};

/** Whether an operation reads one record, whose response has a tag: it answers 304 to a caller that names the tag. */
export const isTaggedRead = ({ method, headers }: OperationContract): boolean =>
  method === 'get' && headers?.['ETag'] !== undefined;

/** The names of the request headers that an operation reads. */
export const headerParametersOf = (contract: OperationContract): readonly string[] => {
  if (contract.gateway === 'read')
    return ['RequestId', 'ReadAfter', ...(isTaggedRead(contract) ? ['IfNoneMatch'] : [])];
  const keyed = contract.headers?.[replayHeader] === undefined ? [] : ['IdempotencyKey'];
  const conditional = contract.errors?.includes(412) === true ? ['IfMatch'] : [];
  return ['RequestId', ...keyed, ...conditional];
};
