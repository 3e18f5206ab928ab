import { mergeAccount as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { mergeRecord } from '../merge-record.js';

/** `POST /v1/inbound/accounts/{id}/merge` */
export const mergeAccount = defineOperation<Context, typeof contract>(contract, (context, request) =>
  mergeRecord(context, contract, request, 'account'),
);
