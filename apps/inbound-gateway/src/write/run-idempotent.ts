import { createHash } from 'node:crypto';
import type { OperationContract } from '@crm/contract';
import { findStoredResult, type IdempotencyRecord, type Written } from '@crm/db';
import { type Steps, validationError } from '@crm/domain';
import { type OperationReply, type OperationRequest, runInTurns, toApiError } from '@crm/http';
import type { Context } from '../context.js';
import { readAfterHeader } from './write-request.js';

/** The parts of a request that identify it. */
type IdempotentRequest = Pick<OperationRequest<OperationContract>, 'caller' | 'header' | 'itemErrors'> & {
  readonly query: unknown;
  readonly body: unknown;
};

const maxKeyLength = 255;

/** JSON with the keys of every object sorted, so that equal requests give equal texts. */
const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

const sha256 = (text: string): string => createHash('sha256').update(text).digest('base64url');

const isBulkBody = (body: unknown): body is { readonly items: readonly unknown[] } =>
  typeof body === 'object' && body !== null && 'items' in body && Array.isArray(body.items);

/** The digest of a request's canonical JSON. A bulk body, which has only items, is hashed item by item. */
function* digestOf({ query, body, itemErrors }: IdempotentRequest): Steps<string> {
  // Includes the JSON faults: a number that is rejected for too many digits may parse to the same value as its
  // correction.
  const errors = itemErrors?.size ? [...itemErrors] : undefined;
  if (!isBulkBody(body)) return sha256(canonicalJson({ query, body, itemErrors: errors }));
  const hash = createHash('sha256');
  for (const [index, item] of body.items.entries()) {
    hash.update(`${index === 0 ? '{"body":{"items":[' : ','}${canonicalJson(item)}`);
    yield;
  }
  hash.update(
    `]}${errors === undefined ? '' : `,"itemErrors":${canonicalJson(errors)}`},"query":${canonicalJson(query)}}`,
  );
  return hash.digest('base64url');
}

/**
 * The `Idempotency-Key` of a POST with the digest of the request, or null without a key.
 * @throws ApiError `validation_failed` for a key that is empty or too long
 */
const readIdempotencyKey = async (
  contract: OperationContract,
  request: IdempotentRequest,
): Promise<IdempotencyRecord | null> => {
  if (contract.method !== 'post') return null;
  const key = request.header('idempotency-key');
  if (key === undefined) return null;
  if (key === '' || key.length > maxKeyLength) {
    throw validationError({ 'Idempotency-Key': `must have 1 to ${maxKeyLength} characters` });
  }
  return { operation: contract.id, keyHash: sha256(key), requestHash: await runInTurns(digestOf(request)) };
};

/** How one operation writes: what to run, and how to build the response from the result alone. */
export interface IdempotentOptions<Result, Reply> {
  /** Reads, checks and runs the request. Stores `idempotency` with the result, in the same transaction. */
  readonly run: (idempotency: IdempotencyRecord | null) => Promise<Written<Result>>;
  /** A replay rebuilds the first response, so the response may only depend on the result. */
  readonly answer: (result: Result) => Reply;
}

const isRefusal = (error: unknown): boolean => toApiError(error).status < 500;

/**
 * Runs a write, at most once per `Idempotency-Key`. A repeat gets the first response, even if the request would be
 * rejected now.
 */
export const runIdempotent = async <Result, Reply extends Pick<OperationReply<OperationContract>, 'headers'>>(
  { database }: Context,
  contract: OperationContract,
  request: IdempotentRequest,
  { run, answer }: IdempotentOptions<Result, Reply>,
): Promise<Reply> => {
  const idempotency = await readIdempotencyKey(contract, request);
  const toReply = ({ result, replayed, readMark }: Written<Result>): Reply => {
    const reply = answer(result);
    const headers = { ...reply.headers, ...readAfterHeader(readMark) };
    return { ...reply, headers: replayed ? { ...headers, 'Idempotent-Replayed': 'true' } : headers };
  };
  try {
    return toReply(await run(idempotency));
  } catch (error) {
    if (idempotency === null || !isRefusal(error)) throw error;
    const stored = await findStoredResult<Result>(database, request.caller.organizationId, idempotency);
    if (stored === null) throw error;
    return toReply(stored);
  }
};
