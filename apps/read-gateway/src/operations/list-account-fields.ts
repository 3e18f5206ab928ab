import { listAccountFields as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { listFields } from '../list-fields.js';

/** `GET /v1/accounts/fields`: the system and custom fields of accounts. */
export const listAccountFields = defineOperation<Context, typeof contract>(contract, (context, { caller, query }) =>
  listFields(context, caller, contract.id, 'account', query),
);
