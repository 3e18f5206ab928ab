import { summarizeOpportunities as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { summarizeRecords } from '../summary.js';

/** `POST /v1/opportunities/summary`: counts and sums of opportunities by group. */
export const summarizeOpportunities = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) =>
  summarizeRecords(context, caller, 'opportunity', body),
);
