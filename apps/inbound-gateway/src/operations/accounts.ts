import {
  bulkCreateAccounts as bulkCreateContract,
  bulkUpdateAccounts as bulkUpdateContract,
  createAccount as createContract,
  deleteAccount as deleteContract,
  mergeAccount as mergeContract,
  updateAccount as updateContract,
} from '@crm/contract';
import { accountCreate, accountUpdate, type CreatedAccount } from '@crm/db';
import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { bulkCreate, bulkUpdate } from '../write/bulk.js';
import { createRecord } from '../write/create-record.js';
import { deleteRecord } from '../write/delete-record.js';
import { mergeRecord } from '../write/merge-record.js';
import type { ObjectWrites } from '../write/object-writes.js';
import { updateRecord } from '../write/update-record.js';

const accounts: ObjectWrites<CreatedAccount> = {
  objectType: 'account',
  keyPath: 'domain',
  create: (_setup, change, onMatch) => accountCreate(change, onMatch),
  update: (_setup, target, change) => accountUpdate(target, change),
  answer: ({ id, domain, name }) => ({ company_id: id, domain, name }),
};

/** The writes of accounts. */
export const accountOperations: readonly Operation<Context>[] = [
  createRecord(createContract, accounts),
  updateRecord(updateContract, accounts),
  deleteRecord(deleteContract, 'account'),
  mergeRecord(mergeContract, 'account'),
  bulkCreate(bulkCreateContract, accounts),
  bulkUpdate(bulkUpdateContract, accounts),
];
