import * as contracts from '@crm/contract';
import { contactCreate, contactUpdate, type CreatedContact } from '@crm/db';
import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { bulkCreate, bulkUpdate } from '../write/bulk.js';
import { createRecord } from '../write/create-record.js';
import { deleteRecord } from '../write/delete-record.js';
import { mergeRecord } from '../write/merge-record.js';
import type { ObjectWrites } from '../write/object-writes.js';
import { updateRecord } from '../write/update-record.js';

const contacts: ObjectWrites<CreatedContact> = {
  objectType: 'contact',
  keyPath: 'email',
  create: contactCreate,
  // A new email moves the contact to the account of its domain.
  update: contactUpdate,
  answer: ({ id, email, first_name, last_name, account_id }) => ({
    people_id: id,
    email,
    first_name,
    last_name,
    account_id,
    contact_id: id,
  }),
};

/** The writes of contacts. */
export const contactOperations: readonly Operation<Context>[] = [
  createRecord(contracts.createContact, contacts),
  updateRecord(contracts.updateContact, contacts),
  deleteRecord(contracts.deleteContact, 'contact'),
  mergeRecord(contracts.mergeContact, 'contact'),
  bulkCreate(contracts.bulkCreateContacts, contacts),
  bulkUpdate(contracts.bulkUpdateContacts, contacts),
];
