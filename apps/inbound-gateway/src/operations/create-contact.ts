import { createContact as contract } from '@crm/contract';
import { contactCreate } from '@crm/db';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { createMessage, createRecord } from '../create-record.js';
import { readNewContact } from '../input/read-contact.js';
import { warningsExtra } from '../warnings.js';

/** `POST /v1/inbound/contacts`: creates or finds the contact of an email and the account of its domain. */
export const createContact = defineOperation<Context, typeof contract>(contract, (context, request) =>
  createRecord(context, contract, request, {
    read: (setup, errors) =>
      contactCreate(setup, readNewContact(setup, request.body, errors), request.query.on_match ?? 'keep'),
    answer: ({ id, email, first_name: firstName, last_name: lastName, record_status: status, unapplied }) => ({
      message: createMessage('Contact', status),
      data: { people_id: id, email, first_name: firstName, last_name: lastName },
      extra: warningsExtra(unapplied),
      headers: { 'X-Record-Status': status },
    }),
  }),
);
