import { moveOpportunities, opportunitiesToMove, type OpportunityMove } from '@crm/db';
import { Failure } from '@crm/domain';
import { maxMoved } from './change-setup.js';
import type { Context } from '../context.js';
import { type OriginRequest, writeOrigin } from '../write/write-request.js';

/**
 * Moves opportunities before their stage is archived or their owner is removed.
 * @throws Failure `setup_in_use` if there are too many for one call
 */
export const moveWithin = async (
  { database, commandLine }: Context,
  request: OriginRequest,
  move: OpportunityMove,
): Promise<void> => {
  const { organizationId } = request.caller;
  const limit = commandLine === undefined ? maxMoved : Number.MAX_SAFE_INTEGER;
  const ids = await opportunitiesToMove(database, organizationId, move, Math.min(limit + 1, 2 ** 31 - 1));
  if (ids.length > limit) {
    throw new Failure({
      kind: 'setup_in_use',
      object: move.kind === 'stage' ? 'stage' : 'member',
      opportunities: maxMoved,
    });
  }
  await moveOpportunities(
    database,
    organizationId,
    move,
    ids,
    undefined,
    commandLine === undefined ? writeOrigin(request) : null,
  );
};
