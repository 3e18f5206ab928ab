import { listMembers as contract } from '@crm/contract';
import { memberWire } from '@crm/db';
import { defineOperation } from '@crm/http';
import { pageOfEntries } from '../setup-page.js';
import type { Context } from '../context.js';

/** `GET /v1/members`: the members of the organization, sorted by email. */
export const listMembers = defineOperation<Context, typeof contract>(contract, (context, { caller, query }) =>
  context.setups.use(caller.organizationId, async ({ organizationId, members }) => {
    const entries = members.map((member) => ({ rank: 0, name: member.email, wire: memberWire(member) }));
    const binding = { organizationId, operation: contract.id };
    return pageOfEntries(context, entries, { collection: 'members', query, binding });
  }),
);
