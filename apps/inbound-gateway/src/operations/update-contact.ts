import { updateContact as contract } from '@crm/contract';
import { contactUpdate } from '@crm/db';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readContactChange } from '../input/read-contact.js';
import { updateRecord } from '../update-record.js';

/** `PATCH /v1/inbound/contacts/{id}`: a new email moves the contact to the account of its domain. */
export const updateContact = defineOperation<Context, typeof contract>(contract, (context, request) =>
  updateRecord(context, request, 'contact', (setup, target, errors) =>
    contactUpdate(setup, target, readContactChange(setup, request.body, errors)),
  ),
);
