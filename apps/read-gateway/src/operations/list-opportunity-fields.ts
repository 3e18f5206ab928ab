import { listOpportunityFields as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { listFields } from '../list-fields.js';

/** `GET /v1/opportunities/fields`: the system and custom fields of opportunities. */
export const listOpportunityFields = defineOperation<Context, typeof contract>(contract, (context, { caller, query }) =>
  listFields(context, caller, contract.id, 'opportunity', query),
);
