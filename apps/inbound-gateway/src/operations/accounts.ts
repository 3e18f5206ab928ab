import {
  bulkCreateAccounts as bulkCreateContract,
  bulkUpdateAccounts as bulkUpdateContract,
  createAccount as createContract,
  deleteAccount as deleteContract,
  mergeAccount as mergeContract,
  updateAccount as updateContract,
  type CreateAccountBody,
} from '@crm/contract';
import { accountCreate, accountUpdate, type CreatedAccount, type OrganizationSetup } from '@crm/db';
import { readAccountChange, readNewAccount } from '../input/read-account.js';
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
  create: (setup: OrganizationSetup, body: CreateAccountBody, onMatch, errors) =>
    accountCreate(readNewAccount(setup, body, errors), onMatch),
  update: (setup, target, body, errors) => accountUpdate(target, readAccountChange(setup, body, errors)),
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
