import { listOpportunityDuplicates as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { listDuplicates } from '../list-duplicates.js';

/** `GET /v1/opportunities/duplicates`: opportunities that may be duplicates of older ones. */
export const listOpportunityDuplicates = defineOperation<Context, typeof contract>(
  contract,
  (context, { caller, query }) => listDuplicates(context, caller, contract.id, 'opportunity', query),
);
