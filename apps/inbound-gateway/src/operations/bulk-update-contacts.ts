import { bulkUpdateContacts as contract } from '@crm/contract';
import { contactUpdate } from '@crm/db';
import { defineOperation } from '@crm/http';
import { bulkHandler } from '../bulk.js';
import type { Context } from '../context.js';
import { readContactChange } from '../input/read-contact.js';

const handle = bulkHandler(contract);

/** `PATCH /v1/inbound/contacts/bulk` */
export const bulkUpdateContacts = defineOperation<Context, typeof contract>(contract, (context, request) =>
  handle(context, request, {
    function: 'update_contact',
    notFoundPath: 'id',
    read: (setup, { id, version, ...body }, errors) =>
      contactUpdate(setup, { id: id.toLowerCase(), version }, readContactChange(setup, body, errors)),
  }),
);
