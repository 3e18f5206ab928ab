import { listAccountDuplicates as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { listDuplicates } from '../list-duplicates.js';

/** `GET /v1/accounts/duplicates`: accounts that may be duplicates of older ones. */
export const listAccountDuplicates = defineOperation<Context, typeof contract>(contract, (context, { caller, query }) =>
  listDuplicates(context, caller, contract.id, 'account', query),
);
