import { getOpportunity as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { getRecord } from '../get-record.js';

/** `GET /v1/opportunities/{id}`: one opportunity. */
export const getOpportunity = defineOperation<Context, typeof contract>(
  contract,
  (context, { caller, params, query }) =>
    getRecord(context, caller, { objectType: 'opportunity', id: params.id }, query.fields),
);
