import { AccountDetail, AccountPage } from '../schemas/account.js';
import {
  BulkCreateAccountsBody,
  BulkUpdateAccountsBody,
  CreateAccountBody,
  CreatedAccount,
  UpdateAccountBody,
  UpdateAccountItem,
} from '../schemas/account-write.js';
import { DomainInput } from '../schemas/input.js';
import { SearchBody } from '../schemas/search.js';
import { SummaryBody } from '../schemas/summary.js';
import { getByKeyOf, mergeOf, readOperationsOf, writeOperationsOf } from './object-operations.js';
import { FieldsListQuery, ListQuery } from './shared.js';

const names = { one: 'account', a: 'an account', many: 'accounts' } as const;

/** The reads of accounts. */
export const {
  list: listAccounts,
  search: searchAccounts,
  summarize: summarizeAccounts,
  duplicates: listAccountDuplicates,
  fields: listAccountFields,
  get: getAccount,
  history: listAccountHistory,
} = readOperationsOf(
  names,
  {
    listQuery: ListQuery,
    fieldsQuery: FieldsListQuery,
    searchBody: SearchBody,
    summaryBody: SummaryBody,
    page: AccountPage,
    detail: AccountDetail,
  },
  { summary: 'List accounts', description: 'Pages through the accounts, newest first.' },
);

/** `GET /v1/accounts/by-domain/{domain}` */
export const getAccountByDomain = getByKeyOf(
  names,
  'domain',
  { domain: DomainInput('Domain of the account; normalized as on creation.') },
  AccountDetail,
);

/** The writes of accounts. */
export const {
  create: createAccount,
  update: updateAccount,
  delete: deleteAccount,
  bulkCreate: bulkCreateAccounts,
  bulkUpdate: bulkUpdateAccounts,
} = writeOperationsOf(
  names,
  {
    create: CreateAccountBody,
    created: CreatedAccount,
    update: UpdateAccountBody,
    updateItem: UpdateAccountItem,
    bulkCreate: BulkCreateAccountsBody,
    bulkUpdate: BulkUpdateAccountsBody,
    detail: AccountDetail,
    extra: {},
  },
  {
    create: {
      summary: 'Create an account',
      description: 'Creates an account. If an account has the domain or `external_id`, it is returned instead.',
    },
    delete:
      'Deletes an account. An account with contacts or opportunities gets 409 with their counts. Until the event of ' +
      'the deletion expires, `POST /v1/inbound/restore` can undo it.',
  },
  { create: [409, 422], delete: [404, 409, 412] },
);

/** `POST /v1/inbound/accounts/{id}/merge` */
export const mergeAccount = mergeOf(names, 'domain', 'contacts, opportunities and notes');
