import { deleteAccount as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { deleteRecord } from '../delete-record.js';

/** `DELETE /v1/inbound/accounts/{id}`: an account that still has contacts or opportunities is refused. */
export const deleteAccount = defineOperation<Context, typeof contract>(contract, (context, request) =>
  deleteRecord(context, request, 'account'),
);
