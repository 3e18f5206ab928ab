import { randomUUID } from 'node:crypto';
import { createMember as contract } from '@crm/contract';
import { addMemberChange, memberWire } from '@crm/db';
import { defineOperation } from '@crm/http';
import { orNotFound, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { readMemberEmail, readName } from '../input/read-setup.js';

/** `POST /v1/inbound/members` */
export const createMember = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) => {
  const id = randomUUID();
  return runSetupChange(context, caller, {
    changes: () => [addMemberChange(id, { email: readMemberEmail(body.email), name: readName(body.name) })],
    answer: (setup) => ({
      message: 'Member added',
      data: { member: memberWire(orNotFound(setup.findMember(id))) },
    }),
  });
});
