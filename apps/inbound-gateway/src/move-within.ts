import { countOpportunities, moveOpportunities, type OpportunityMove } from '@crm/db';
import { Failure } from '@crm/domain';
import { maxMoved } from './change-setup.js';
import type { Context } from './context.js';

/** Moves opportunities before a stage or member goes. @throws Failure `setup_in_use` where there are too many for one call */
export const moveWithin = async (
  { database }: Context,
  organizationId: string,
  move: OpportunityMove,
): Promise<void> => {
  const count = await countOpportunities(database, organizationId, move, maxMoved + 1);
  if (count > maxMoved) {
    throw new Failure({
      kind: 'setup_in_use',
      object: move.kind === 'stage' ? 'stage' : 'member',
      opportunities: maxMoved,
    });
  }
  await moveOpportunities(database, organizationId, move);
};
