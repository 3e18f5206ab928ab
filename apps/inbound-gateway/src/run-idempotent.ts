import type { OperationContract } from '@crm/contract';
import { findStoredResult, type IdempotencyRecord, type Written } from '@crm/db';
import { type OperationReply, toApiError } from '@crm/http';
import type { Context } from './context.js';
import { type IdempotentRequest, readIdempotencyKey } from './idempotency.js';
import { readAfterHeader } from './read-after-header.js';

/** How one operation writes: what to run, and what to answer from its result and nothing else. */
export interface IdempotentOptions<Result, Reply> {
  /** Reads, checks and runs the request; `idempotency` goes to the database with it. */
  readonly run: (idempotency: IdempotencyRecord | null) => Promise<Written<Result>>;
  /** A replay makes the first answer again, so it may depend on the result alone. */
  readonly answer: (result: Result) => Reply;
}

const isRefusal = (error: unknown): boolean => toApiError(error).status < 500;

/**
 * Runs a write that an `Idempotency-Key` may make happen once. A repeat answers what the first request answered, also where
 * what was valid then is refused now.
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
