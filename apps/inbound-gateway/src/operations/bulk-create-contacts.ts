import { bulkCreateContacts as contract } from '@crm/contract';
import { contactCreate } from '@crm/db';
import { defineOperation } from '@crm/http';
import { bulkHandler } from '../bulk.js';
import type { Context } from '../context.js';
import { readNewContact } from '../input/read-contact.js';

const handle = bulkHandler(contract);

/** `POST /v1/inbound/contacts/bulk` */
export const bulkCreateContacts = defineOperation<Context, typeof contract>(contract, (context, request) =>
  handle(context, request, {
    function: 'create_contact',
    notFoundPath: 'email',
    read: (setup, item, errors) =>
      contactCreate(setup, readNewContact(setup, item, errors), request.query.on_match ?? 'keep'),
  }),
);
