import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { OperationContract } from '@crm/contract';
import {
  type ChangedSetup,
  changeSetup,
  moveOpportunities,
  opportunitiesToMove,
  type OpportunityMove,
  type OrganizationSetup,
  refreshRecords,
  type SetupChange,
} from '@crm/db';
import { ApiError, Failure, isFailure } from '@crm/domain';
import { type OperationRequest, SharedLimit } from '@crm/http';
import type { Context } from '../context.js';
import { type OriginRequest, readAfterHeader, writeOrigin } from '../write/write-request.js';

/** The response waits at most this long for the rebuild of stored records, which then continues in the background. */
const rebuildWaitMs = 2_000;

/** The maximum number of opportunities that one call moves to another stage or owner. */
const maxMoved = 10_000;

/**
 * How often a call looks for opportunities that came after it had closed their stage or owner, and the time between. Together they are
 * longer than the age at which other gateways read the setup again.
 */
const maxRounds = 6;
const roundWaitMs = 300;

/** A request that changes the setup. */
type SetupRequest = OriginRequest & Pick<OperationRequest<OperationContract>, 'isGone'>;

/** The changes of one setup operation. */
export interface SetupChanges {
  readonly changes: readonly SetupChange[];
  /**
   * The opportunities to move after the changes, which close their stage or owner to new ones, and the changes that follow. So writers
   * cannot fill a stage as fast as it is emptied.
   */
  readonly move?: { readonly of: OpportunityMove; readonly then: readonly SetupChange[] } | undefined;
}

/** One setup operation. */
export interface SetupWork<Data> {
  /** Builds the changes from the current setup. Throws before anything is written. */
  readonly changes: (setup: OrganizationSetup) => readonly SetupChange[] | SetupChanges;
  /** The message and data of the response, from the setup after the changes. */
  readonly answer: (setup: OrganizationSetup) => { readonly message: string; readonly data: Data };
}

/** Returns the entry for an id in the path. @throws ApiError `not_found` if there is none */
export const orNotFound = <T>(found: T | undefined): T => {
  if (found === undefined) throw new ApiError('not_found');
  return found;
};

/** Changes the setup and answers from the setup after the change, which later requests of this process use too. */
export const runSetupChange = async <Data>(
  context: Context,
  request: SetupRequest,
  { changes: build, answer }: SetupWork<Data>,
) => {
  const { database, setups, commandLine } = context;
  const { organizationId, apiKeyId } = request.caller;
  const built = build(await setups.reload(organizationId));
  const { changes, move } = 'changes' in built ? built : { changes: built };
  const origin = commandLine ?? { actor: `API key ${apiKeyId}`, osUser: null, commandId: randomUUID() };
  const change = (list: readonly SetupChange[]) => changeSetup(database, organizationId, list, origin);
  try {
    const { readMark, outdatedAt } =
      move === undefined
        ? await change(changes)
        : await moveWithin(
            context,
            request,
            move.of,
            () => change(changes),
            () => change(move.then),
          );
    if (outdatedAt !== null) {
      // The upkeep completes a rebuild that fails or is interrupted.
      const rebuilt = refreshRecords(database, organizationId, outdatedAt);
      const waited = sleep(rebuildWaitMs, undefined, { ref: false });
      if (commandLine !== undefined) await rebuilt;
      else {
        const reported = rebuilt.catch((error: unknown) => context.onRebuildFailure(organizationId, error));
        // If a later change ended the rebuild, that of the later change continues.
        await Promise.race([reported.then((count) => (count === null ? waited : undefined)), waited]);
      }
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

/** What is left to move, at most {@link maxMoved}. */
const countLeft = async ({ database }: Context, { caller }: SetupRequest, move: OpportunityMove): Promise<number> =>
  (await opportunitiesToMove(database, caller.organizationId, move, maxMoved)).length;

/**
 * Closes a stage or an owner, moves its opportunities, and then makes the last changes. A gateway may still give opportunities to an owner
 * that another gateway has just closed, so the last changes may be refused; then those are moved too.
 * @throws Failure `setup_in_use` if opportunities are left, with the number of moved ones; `unavailable` if another move takes too long, or
 * the caller is gone. The stage or owner then stays closed, and a repeated request continues
 */
const moveWithin = async (
  context: Context,
  request: SetupRequest,
  move: OpportunityMove,
  close: () => Promise<ChangedSetup>,
  finish: () => Promise<ChangedSetup>,
): Promise<ChangedSetup> => {
  const { database, setups, commandLine } = context;
  const { organizationId } = request.caller;
  const endTurn = await moves.takeWithin(organizationId, turnWaitMs);
  if (endTurn === null) throw new Failure({ kind: 'unavailable' });
  try {
    if (request.isGone()) throw new Failure({ kind: 'unavailable' });
    const { outdatedAt } = await close();
    setups.forget(organizationId);
    const finishIfEmpty = async (): Promise<ChangedSetup | null> => {
      if ((await countLeft(context, request, move)) > 0) return null;
      return finish().catch((error: unknown) => {
        if (isFailure(error, 'setup_in_use')) return null;
        throw error;
      });
    };
    const origin = commandLine === undefined ? writeOrigin(request) : null;
    let room = commandLine === undefined ? maxMoved : Number.MAX_SAFE_INTEGER;
    let moved = 0;
    for (let round = 1; round <= maxRounds && room > 0; round += 1) {
      const ids = await opportunitiesToMove(database, organizationId, move, Math.min(room, 2 ** 31 - 1));
      room -= ids.length;
      const movedNow = await moveOpportunities(database, organizationId, move, ids, origin, request.isGone);
      moved += movedNow;
      const finished = await finishIfEmpty();
      if (finished !== null) return { ...finished, outdatedAt };
      // Another round would not move them either, for example into a stage that was archived meanwhile.
      if (ids.length > 0 && movedNow === 0) break;
      await sleep(roundWaitMs);
    }
    const object = move.kind === 'stage' ? 'stage' : 'member';
    const opportunities = await countLeft(context, request, move);
    throw new Failure({ kind: 'setup_in_use', object, opportunities, moved });
  } finally {
    endTurn();
  }
};
