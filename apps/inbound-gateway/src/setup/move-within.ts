import type { OperationContract } from '@crm/contract';
import { moveOpportunities, opportunitiesToMove, type OpportunityMove } from '@crm/db';
import { Failure } from '@crm/domain';
import { type OperationRequest, SharedLimit } from '@crm/http';
import { maxMoved } from './change-setup.js';
import type { Context } from '../context.js';
import { type OriginRequest, writeOrigin } from '../write/write-request.js';

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
