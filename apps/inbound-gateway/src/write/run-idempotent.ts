import type { OperationContract } from '@crm/contract';
import { findStoredResult, type IdempotencyRecord, type Written } from '@crm/db';
import { type OperationReply, toApiError } from '@crm/http';
import type { Context } from '../context.js';
import { type IdempotentRequest, readIdempotencyKey } from './idempotency.js';
import { readAfterHeader } from './write-request.js';

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
