import { listContactHistory as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { listHistory } from '../list-history.js';

/** `GET /v1/contacts/{id}/history`: the events of one contact. */
export const listContactHistory = defineOperation<Context, typeof contract>(
  contract,
  (context, { caller, params, query }) =>
    listHistory(context, caller, { operation: contract.id, objectType: 'contact', id: params.id, query }),
);
