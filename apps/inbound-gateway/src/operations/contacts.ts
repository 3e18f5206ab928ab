import {
  bulkCreateContacts as bulkCreateContract,
  bulkUpdateContacts as bulkUpdateContract,
  createContact as createContract,
  deleteContact as deleteContract,
  mergeContact as mergeContract,
  updateContact as updateContract,
} from '@crm/contract';
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
  answer: ({ id, email, first_name, last_name }) => ({ people_id: id, email, first_name, last_name }),
};

/** The writes of contacts. */
export const contactOperations: readonly Operation<Context>[] = [
  createRecord(createContract, contacts),
  updateRecord(updateContract, contacts),
  deleteRecord(deleteContract, 'contact'),
  mergeRecord(mergeContract, 'contact'),
  bulkCreate(bulkCreateContract, contacts),
  bulkUpdate(bulkUpdateContract, contacts),
];
