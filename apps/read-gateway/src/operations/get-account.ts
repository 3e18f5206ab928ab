import { getAccount as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { getRecord } from '../get-record.js';

/** `GET /v1/accounts/{id}`: one account. */
export const getAccount = defineOperation<Context, typeof contract>(contract, (context, { caller, params, query }) =>
  getRecord(context, caller, { objectType: 'account', id: params.id }, query.fields),
);
