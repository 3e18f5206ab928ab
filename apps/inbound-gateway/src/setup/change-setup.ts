import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationContract } from '@crm/contract';
import {
  changeSetup,
  moveOpportunities,
  opportunitiesToMove,
  type OpportunityMove,
  type OrganizationSetup,
  refreshRecords,
  type SetupChange,
} from '@crm/db';
import { ApiError, Failure, validationError } from '@crm/domain';
import { type Caller, type OperationRequest, SharedLimit } from '@crm/http';
import type { Context } from '../context.js';
import { type OriginRequest, readAfterHeader, writeOrigin } from '../write/write-request.js';

/** The response waits at most this long for the rebuild of stored records, which then continues in the background. */
const rebuildWaitMs = 2_000;

/** The maximum number of opportunities that one call moves to another stage or owner. */
const maxMoved = 10_000;

/** One setup operation. */
export interface SetupWork<Data> {
  /** Builds the changes from the current setup. Throws before anything is written. */
  readonly changes: (setup: OrganizationSetup) => readonly SetupChange[] | Promise<readonly SetupChange[]>;
  /** The message and data of the response, from the setup after the changes. */
  readonly answer: (setup: OrganizationSetup) => { readonly message: string; readonly data: Data };
}

/** Returns the entry for an id in the path. @throws ApiError `not_found` if there is none */
export const orNotFound = <T>(found: T | undefined): T => {
  if (found === undefined) throw new ApiError('not_found');
  return found;
};

/** Rejects an update without a change. */
export const requireChange = (body: Readonly<Record<string, unknown>>): void => {
  const isChange = Object.values(body).some((value) => value !== undefined);
  if (!isChange) throw validationError({ body: 'names nothing to change' });
};

/** Changes the setup and answers from the setup after the change, which later requests of this process use too. */
export const runSetupChange = async <Data>(
  { database, setups, commandLine }: Context,
  { organizationId, apiKeyId }: Caller,
  { changes, answer }: SetupWork<Data>,
) => {
  const found = await changes(await setups.reload(organizationId));
  const origin = commandLine ?? { actor: `API key ${apiKeyId}`, osUser: null, commandId: randomUUID() };
  try {
    const { readMark, outdatedAt } = await changeSetup(database, organizationId, found, origin);
    if (outdatedAt !== null) {
      // The upkeep completes a rebuild that fails or is interrupted.
      const rebuilt = refreshRecords(database, organizationId, outdatedAt);
      const waited = sleep(rebuildWaitMs, undefined, { ref: false });
      if (commandLine !== undefined) await rebuilt;
      // If a later change ended the rebuild, that of the later change continues.
      else await Promise.race([rebuilt.then((count) => count ?? waited).catch(() => undefined), waited]);
    }
    const reply = answer(await setups.reload(organizationId));
    return { ...reply, headers: readAfterHeader(readMark) };
  } catch (error) {
    // The change may have been committed.
    setups.forget(organizationId);
    throw error;
  }
};

/** One move of an organization runs at a time. The next one waits as long as a statement waits for a lock. */
const moves = new SharedLimit({ share: 1 });
const turnWaitMs = 3_000;

/**
 * Moves opportunities before their stage is archived or their owner is removed. Stops when the caller is gone.
 * @throws Failure `setup_in_use` if there are too many for one call; `unavailable` if another move takes too long
 */
export const moveWithin = async (
  { database, commandLine }: Context,
  request: OriginRequest & Pick<OperationRequest<OperationContract>, 'isGone'>,
  move: OpportunityMove,
): Promise<void> => {
  const { organizationId } = request.caller;
  const finish = await moves.takeWithin(organizationId, turnWaitMs);
  if (finish === null) throw new Failure({ kind: 'unavailable' });
  try {
    const limit = commandLine === undefined ? maxMoved : Number.MAX_SAFE_INTEGER;
    const ids = await opportunitiesToMove(database, organizationId, move, Math.min(limit + 1, 2 ** 31 - 1));
    if (ids.length > limit) {
      const object = move.kind === 'stage' ? 'stage' : 'member';
      throw new Failure({ kind: 'setup_in_use', object, opportunities: maxMoved });
    }
    const origin = commandLine === undefined ? writeOrigin(request) : null;
    await moveOpportunities(database, organizationId, move, ids, origin, request.isGone);
  } finally {
    finish();
  }
};
