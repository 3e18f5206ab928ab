import { listAccountHistory as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { listHistory } from '../list-history.js';

/** `GET /v1/accounts/{id}/history`: the events of one account. */
export const listAccountHistory = defineOperation<Context, typeof contract>(
  contract,
  (context, { caller, params, query }) =>
    listHistory(context, caller, { operation: contract.id, objectType: 'account', id: params.id, query }),
);
