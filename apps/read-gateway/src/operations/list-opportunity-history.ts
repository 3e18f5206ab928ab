import { listOpportunityHistory as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { listHistory } from '../list-history.js';

/** `GET /v1/opportunities/{id}/history`: the events of one opportunity. */
export const listOpportunityHistory = defineOperation<Context, typeof contract>(
  contract,
  (context, { caller, params, query }) =>
    listHistory(context, caller, { operation: contract.id, objectType: 'opportunity', id: params.id, query }),
);
