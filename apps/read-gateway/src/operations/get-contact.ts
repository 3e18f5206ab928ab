import { getContact as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { getRecord } from '../get-record.js';

/** `GET /v1/contacts/{id}`: one contact. */
export const getContact = defineOperation<Context, typeof contract>(contract, (context, { caller, params, query }) =>
  getRecord(context, caller, { objectType: 'contact', id: params.id }, query.fields),
);
