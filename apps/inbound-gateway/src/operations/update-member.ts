import { updateMember as contract } from '@crm/contract';
import { memberWire, updateMemberChange } from '@crm/db';
import { defineOperation } from '@crm/http';
import { orNotFound, requireChange, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { readMemberEmail, readName } from '../input/read-setup.js';

/** `PATCH /v1/inbound/members/{id}` */
export const updateMember = defineOperation<Context, typeof contract>(contract, (context, { caller, params, body }) =>
  runSetupChange(context, caller, {
    changes: (setup) => {
      requireChange(body);
      const { id } = orNotFound(setup.findMember(params.id));
      const email = body.email === undefined ? undefined : readMemberEmail(body.email);
      return [updateMemberChange(id, { email, name: readName(body.name), isActive: body.is_active })];
    },
    answer: (setup) => ({
      message: 'Member updated',
      data: { member: memberWire(orNotFound(setup.findMember(params.id))) },
    }),
  }),
);
