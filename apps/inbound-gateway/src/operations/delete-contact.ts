import { deleteContact as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { deleteRecord } from '../delete-record.js';

/** `DELETE /v1/inbound/contacts/{id}`: its opportunities and notes stay. */
export const deleteContact = defineOperation<Context, typeof contract>(contract, (context, request) =>
  deleteRecord(context, request, 'contact'),
);
