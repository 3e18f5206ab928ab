import { deleteMember as contract } from '@crm/contract';
import { removeMemberChange } from '@crm/db';
import { validationError } from '@crm/domain';
import { defineOperation } from '@crm/http';
import { orNotFound, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { moveWithin } from '../move-within.js';

/**
 * `DELETE /v1/inbound/members/{id}`: an owner of opportunities is refused, unless the query says what to do with them.
 */
export const deleteMember = defineOperation<Context, typeof contract>(contract, (context, request) => {
  const { caller, params, query } = request;
  return runSetupChange(context, caller, {
    changes: async (setup) => {
      const member = orNotFound(setup.findMember(params.id));
      const { opportunities, reassign_to: heirId } = query;
      if (heirId === undefined) return [removeMemberChange(member.id, opportunities === 'keep')];
      if (opportunities !== undefined) throw validationError({ reassign_to: 'must be absent with opportunities=keep' });
      const heir = setup.findMember(heirId);
      if (heir === undefined) throw validationError({ reassign_to: 'is not a member of this organization' });
      if (heir.id === member.id) throw validationError({ reassign_to: 'is the member to be removed' });
      if (!heir.isActive) throw validationError({ reassign_to: 'is a former member' });
      const move = { kind: 'owner', fromId: member.id, toId: heir.id } as const;
      await moveWithin(context, request, move);
      return [removeMemberChange(member.id, false)];
    },
    answer: () => ({ message: 'Removed member', data: { id: params.id.toLowerCase() } }),
  });
});
