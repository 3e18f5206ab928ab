import { searchOpportunities as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { searchRecords } from '../search.js';

/** `POST /v1/opportunities/search`: opportunities by words and filters, sorted. */
export const searchOpportunities = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) =>
  searchRecords(context, caller, contract.id, 'opportunity', body),
);
