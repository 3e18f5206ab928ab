import type { OperationContract } from '@crm/contract';
import { findFirstResult, type Once, type Written } from '@crm/db';
import { type OperationReply, toApiError } from '@crm/http';
import type { Context } from './context.js';
import { type OnceRequest, readOnce } from './idempotency.js';
import { readAfterHeader } from './read-after-header.js';

/** How one operation writes: what to run, and what to answer from its result and nothing else. */
export interface OnceOptions<Result, Reply> {
  /** Reads, checks and runs the request; `once` goes to the database with it. */
  readonly run: (once: Once | null) => Promise<Written<Result>>;
  /** A replay makes the first answer again, so it may depend on the result alone. */
  readonly answer: (result: Result) => Reply;
}

const isRefusal = (error: unknown): boolean => toApiError(error).status < 500;

/**
 * Runs a write that an `Idempotency-Key` may make happen once. A repeat answers what the first request answered, also where
 * what was valid then is refused now.
 */
export const runOnce = async <Result, Reply extends Pick<OperationReply<OperationContract>, 'headers'>>(
  { database }: Context,
  contract: OperationContract,
  request: OnceRequest,
  { run, answer }: OnceOptions<Result, Reply>,
): Promise<Reply> => {
  const once = readOnce(contract, request);
  const toReply = ({ result, replayed, readMark }: Written<Result>): Reply => {
    const reply = answer(result);
    const headers = { ...reply.headers, ...readAfterHeader(readMark) };
    return { ...reply, headers: replayed ? { ...headers, 'Idempotent-Replayed': 'true' } : headers };
  };
  try {
    return toReply(await run(once));
  } catch (error) {
    if (once === null || !isRefusal(error)) throw error;
    const first = await findFirstResult<Result>(database, request.caller.organizationId, once);
    if (first === null) throw error;
    return toReply(first);
  }
};
