import { mergeContact as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { mergeRecord } from '../merge-record.js';

/** `POST /v1/inbound/contacts/{id}/merge` */
export const mergeContact = defineOperation<Context, typeof contract>(contract, (context, request) =>
  mergeRecord(context, contract, request, 'contact'),
);
