import { randomUUID } from 'node:crypto';
import * as contracts from '@crm/contract';
import { addMemberChange, memberWire, type OrganizationSetup, removeMemberChange, updateMemberChange } from '@crm/db';
import { validationError } from '@crm/domain';
import type { Operation } from '@crm/http';
import { type Context, operation } from '../context.js';
import { orNotFound, runSetupChange } from '../setup/change-setup.js';
import { readMemberEmail, readName } from '../setup/read-setup.js';

/** The response with a member after its change. */
const memberAnswer = (message: string, id: string) => (setup: OrganizationSetup) => ({
  message,
  data: { member: memberWire(orNotFound(setup.findMember(id))) },
});

/** `POST /v1/inbound/members` */
const createMember = operation(contracts.createMember, (context, request) => {
  const { body } = request;
  const id = randomUUID();
  return runSetupChange(context, request, {
    changes: () => [addMemberChange(id, { email: readMemberEmail(body.email), name: readName(body.name) })],
    answer: memberAnswer('Member added', id),
  });
});

/** `PATCH /v1/inbound/members/{id}` */
const updateMember = operation(contracts.updateMember, (context, request) => {
  const { params, body } = request;
  return runSetupChange(context, request, {
    changes: (setup) => {
      const { id } = orNotFound(setup.findMember(params.id));
      const email = body.email === undefined ? undefined : readMemberEmail(body.email);
      return [updateMemberChange(id, { email, name: readName(body.name), isActive: body.is_active })];
    },
    answer: memberAnswer('Member updated', params.id),
  });
});

/**
 * `DELETE /v1/inbound/members/{id}`: an owner of opportunities is refused, unless the query says what to do with them.
 */
const deleteMember = operation(contracts.deleteMember, (context, request) => {
  const { params, query } = request;
  return runSetupChange(context, request, {
    changes: (setup) => {
      const member = orNotFound(setup.findMember(params.id));
      const { opportunities, reassign_to: heirId } = query;
      if (heirId === undefined) return [removeMemberChange(member.id, opportunities === 'keep')];
      if (opportunities !== undefined) throw validationError({ reassign_to: 'must be absent with opportunities=keep' });
      const heir = setup.findMember(heirId);
      if (heir === undefined) throw validationError({ reassign_to: 'is not a member of this organization' });
      if (heir.id === member.id) throw validationError({ reassign_to: 'is the member to be removed' });
      if (!heir.isActive) throw validationError({ reassign_to: 'is a former member' });
      const move = { kind: 'owner', fromId: member.id, toId: heir.id } as const;
      const close = updateMemberChange(member.id, { isActive: false });
      return { changes: [close], move: { of: move, then: [removeMemberChange(member.id, false)] } };
    },
    answer: () => ({ message: 'Removed member', data: { id: params.id.toLowerCase() } }),
  });
});

/** The writes of members. */
export const memberOperations: readonly Operation<Context>[] = [createMember, updateMember, deleteMember];
