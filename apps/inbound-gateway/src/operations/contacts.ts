import {
  bulkCreateContacts as bulkCreateContract,
  bulkUpdateContacts as bulkUpdateContract,
  createContact as createContract,
  deleteContact as deleteContract,
  mergeContact as mergeContract,
  updateContact as updateContract,
  type CreateContactBody,
} from '@crm/contract';
import { contactCreate, contactUpdate, type CreatedContact, type OrganizationSetup } from '@crm/db';
import { readContactChange, readNewContact } from '../input/read-contact.js';
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
  create: (setup: OrganizationSetup, body: CreateContactBody, onMatch, errors) =>
    contactCreate(setup, readNewContact(setup, body, errors), onMatch),
  // A new email moves the contact to the account of its domain.
  update: (setup, target, body, errors) => contactUpdate(setup, target, readContactChange(setup, body, errors)),
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
