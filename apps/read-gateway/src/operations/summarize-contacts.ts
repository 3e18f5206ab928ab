import { summarizeContacts as contract } from '@crm/contract';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { summarizeRecords } from '../summary.js';

/** `POST /v1/contacts/summary`: counts and sums of contacts by group. */
export const summarizeContacts = defineOperation<Context, typeof contract>(contract, (context, { caller, body }) =>
  summarizeRecords(context, caller, 'contact', body),
);
