import { listContactFields as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { listFields } from '../list-fields.js';

/** `GET /v1/contacts/fields`: the system and custom fields of contacts. */
export const listContactFields = defineOperation<Context, typeof contract>(contract, (context, { caller, query }) =>
  listFields(context, caller, contract.id, 'contact', query),
);
