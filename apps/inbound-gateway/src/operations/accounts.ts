import * as contracts from '@crm/contract';
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
  answer: ({ id, domain, name }) => ({ company_id: id, domain, name, account_id: id }),
};

/** The writes of accounts. */
export const accountOperations: readonly Operation<Context>[] = [
  createRecord(contracts.createAccount, accounts),
  updateRecord(contracts.updateAccount, accounts),
  deleteRecord(contracts.deleteAccount, 'account'),
  mergeRecord(contracts.mergeAccount, 'account'),
  bulkCreate(contracts.bulkCreateAccounts, accounts),
  bulkUpdate(contracts.bulkUpdateAccounts, accounts),
];
