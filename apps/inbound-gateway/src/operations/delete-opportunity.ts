import { deleteOpportunity as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { deleteRecord } from '../delete-record.js';

/** `DELETE /v1/inbound/opportunities/{id}`: its contacts and account stay. */
export const deleteOpportunity = defineOperation<Context, typeof contract>(contract, (context, request) =>
  deleteRecord(context, request, 'opportunity'),
);
