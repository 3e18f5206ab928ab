import { randomUUID } from 'node:crypto';
import { createField as contract } from '@crm/contract';
import { defineFieldChange, fieldWire } from '@crm/db';
import { defineOperation } from '@crm/http';
import { orNotFound, runSetupChange } from '../change-setup.js';
import type { Context } from '../context.js';
import { findField, readNewField } from '../input/read-setup.js';

/** `POST /v1/inbound/fields` */
export const createField = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) => {
  const id = randomUUID();
  return runSetupChange(context, caller, {
    changes: (setup) => [defineFieldChange(id, readNewField(setup, body))],
    answer: (setup) => ({ message: 'Field defined', data: { field: fieldWire(orNotFound(findField(setup, id))) } }),
  });
});
