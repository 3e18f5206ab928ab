import { searchAccounts as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { searchRecords } from '../search.js';

/** `POST /v1/accounts/search`: accounts by words and filters, sorted. */
export const searchAccounts = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) =>
  searchRecords(context, caller, contract.id, 'account', body),
);
