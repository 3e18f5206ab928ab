import { bulkBodyBytes } from '../bounds.js';
import type { OperationContract } from '../operation.js';
import { BulkCreateQuery, BulkQuery, BulkResults } from '../schemas/bulk.js';
import { Deleted } from '../schemas/deleted.js';
import { DuplicatePage } from '../schemas/duplicate.js';
import { FieldPage } from '../schemas/field.js';
import { AccountDetail, AccountPage } from '../schemas/account.js';
import {
  BulkCreateAccountsBody,
  BulkUpdateAccountsBody,
  CreateAccountBody,
  CreatedAccount,
  UpdateAccountBody,
  UpdateAccountItem,
} from '../schemas/account-write.js';
import { closed, DomainInput } from '../schemas/input.js';
import { MergeBody, Merged } from '../schemas/merge.js';
import { SearchBody } from '../schemas/search.js';
import { Summary, SummaryBody } from '../schemas/summary.js';
import {
  createHeaders,
  FieldsQuery,
  idParams,
  ListQuery,
  idempotentWriteHeaders,
  OnMatchQuery,
  PageQuery,
  recordHeaders,
  updateHeaders,
  writeExtra,
  writeHeaders,
} from './shared.js';

/** `GET /v1/accounts` */
export const listAccounts = {
  id: 'listAccounts',
  gateway: 'read',
  method: 'get',
  path: '/v1/accounts',
  group: 'list',
  tag: 'Accounts',
  summary: 'List accounts',
  description: 'Pages through the accounts, newest first.',
  query: ListQuery,
  data: AccountPage,
} as const satisfies OperationContract;

/** `POST /v1/accounts/search` */
export const searchAccounts = {
  id: 'searchAccounts',
  gateway: 'read',
  method: 'post',
  path: '/v1/accounts/search',
  group: 'search',
  tag: 'Accounts',
  summary: 'Search accounts',
  description: 'Pages through the accounts that match words and filters, sorted.',
  body: SearchBody,
  data: AccountPage,
} as const satisfies OperationContract;

/** `POST /v1/accounts/summary` */
export const summarizeAccounts = {
  id: 'summarizeAccounts',
  gateway: 'read',
  method: 'post',
  path: '/v1/accounts/summary',
  group: 'search',
  tag: 'Accounts',
  summary: 'Summarize accounts',
  description:
    'Counts the accounts that match words and filters and computes sums, averages, minimums and maximums, ' +
    'grouped by up to two fields.',
  body: SummaryBody,
  data: Summary,
} as const satisfies OperationContract;

/** `GET /v1/accounts/duplicates` */
export const listAccountDuplicates = {
  id: 'listAccountDuplicates',
  gateway: 'read',
  method: 'get',
  path: '/v1/accounts/duplicates',
  group: 'search',
  tag: 'Accounts',
  summary: 'List accounts that may be duplicates',
  description: 'Pages through accounts that may be duplicates of older ones, with the reasons.',
  query: PageQuery,
  data: DuplicatePage,
} as const satisfies OperationContract;

/** `GET /v1/accounts/fields` */
export const listAccountFields = {
  id: 'listAccountFields',
  gateway: 'read',
  method: 'get',
  path: '/v1/accounts/fields',
  group: 'list',
  tag: 'Fields',
  summary: 'List the fields of accounts',
  description: 'Pages through the system and custom fields of accounts.',
  query: PageQuery,
  data: FieldPage,
} as const satisfies OperationContract;

/** `GET /v1/accounts/{id}` */
export const getAccount = {
  id: 'getAccount',
  gateway: 'read',
  method: 'get',
  path: '/v1/accounts/{id}',
  group: 'list',
  tag: 'Accounts',
  summary: 'Get an account',
  description: 'Returns one account with every system field and visible custom field, unless `fields` narrows it.',
  params: idParams('account'),
  query: FieldsQuery,
  data: AccountDetail,
  errors: [404],
  headers: recordHeaders,
} as const satisfies OperationContract;

/** `GET /v1/accounts/by-domain/{domain}` */
export const getAccountByDomain = {
  id: 'getAccountByDomain',
  gateway: 'read',
  method: 'get',
  path: '/v1/accounts/by-domain/{domain}',
  group: 'list',
  tag: 'Accounts',
  summary: 'Get an account by its domain',
  description: 'Returns the account that a create with this domain would find, in the same form as the get by id.',
  params: closed({ domain: DomainInput('Domain of the account; normalized as on creation.') }, {}),
  query: FieldsQuery,
  data: AccountDetail,
  errors: [404],
  headers: recordHeaders,
} as const satisfies OperationContract;

/** `POST /v1/inbound/accounts` */
export const createAccount = {
  id: 'createAccount',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/accounts',
  group: 'inbound',
  tag: 'Accounts',
  summary: 'Create an account',
  description: 'Creates an account. If an account has the domain or `external_id`, it is returned instead.',
  query: OnMatchQuery,
  body: CreateAccountBody,
  data: CreatedAccount,
  extra: writeExtra,
  errors: [409, 422],
  headers: createHeaders,
} as const satisfies OperationContract;

/** `PATCH /v1/inbound/accounts/{id}` */
export const updateAccount = {
  id: 'updateAccount',
  gateway: 'inbound',
  method: 'patch',
  path: '/v1/inbound/accounts/{id}',
  group: 'inbound',
  tag: 'Accounts',
  summary: 'Update an account',
  description:
    'Changes an account and returns the whole record. Absent fields keep their values; `null` clears a field.',
  params: idParams('account'),
  body: UpdateAccountBody,
  data: AccountDetail,
  extra: writeExtra,
  errors: [404, 409, 412],
  headers: updateHeaders,
} as const satisfies OperationContract;

/** `DELETE /v1/inbound/accounts/{id}` */
export const deleteAccount = {
  id: 'deleteAccount',
  gateway: 'inbound',
  method: 'delete',
  path: '/v1/inbound/accounts/{id}',
  group: 'delete',
  tag: 'Accounts',
  summary: 'Delete an account',
  description:
    'Deletes an account. An account with contacts or opportunities gets 409 with their counts. Until the event of ' +
    'the deletion expires, `POST /v1/inbound/restore` can undo it.',
  params: idParams('account'),
  data: Deleted,
  errors: [404, 409, 412],
  headers: writeHeaders,
} as const satisfies OperationContract;

/** `POST /v1/inbound/accounts/{id}/merge` */
export const mergeAccount = {
  id: 'mergeAccount',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/accounts/{id}/merge',
  group: 'delete',
  tag: 'Accounts',
  summary: 'Merge an account into this one',
  description:
    'Moves the contacts, opportunities and notes of `from` to this account, fills the empty fields of this account ' +
    'and deletes `from`. The domain of `from` becomes an alias of this account.',
  params: idParams('account'),
  body: MergeBody,
  data: Merged,
  errors: [404, 409, 412, 422],
  headers: idempotentWriteHeaders,
} as const satisfies OperationContract;

/** `POST /v1/inbound/accounts/bulk` */
export const bulkCreateAccounts = {
  id: 'bulkCreateAccounts',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/accounts/bulk',
  group: 'bulk',
  tag: 'Accounts',
  summary: 'Create many accounts',
  description: 'Creates up to 100 accounts, each as a single create would.',
  query: BulkCreateQuery,
  body: BulkCreateAccountsBody,
  item: CreateAccountBody,
  maxBodyBytes: bulkBodyBytes,
  data: BulkResults,
  errors: [409, 422],
  headers: idempotentWriteHeaders,
} as const satisfies OperationContract;

/** `PATCH /v1/inbound/accounts/bulk` */
export const bulkUpdateAccounts = {
  id: 'bulkUpdateAccounts',
  gateway: 'inbound',
  method: 'patch',
  path: '/v1/inbound/accounts/bulk',
  group: 'bulk',
  tag: 'Accounts',
  summary: 'Update many accounts',
  description: 'Changes up to 50 accounts, each as a single update would.',
  query: BulkQuery,
  body: BulkUpdateAccountsBody,
  item: UpdateAccountItem,
  maxBodyBytes: bulkBodyBytes,
  data: BulkResults,
  headers: writeHeaders,
} as const satisfies OperationContract;
