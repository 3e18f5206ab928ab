import { summarizeAccounts as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { summarizeRecords } from '../summary.js';

/** `POST /v1/accounts/summary`: counts and sums of accounts by group. */
export const summarizeAccounts = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) =>
  summarizeRecords(context, caller, 'account', body),
);
