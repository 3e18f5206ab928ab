import type { OperationContract } from '../operation.js';
import { CreateAccountBody, CreatedAccount } from '../schemas/account.js';
import { createHeaders, OnMatchQuery, writeExtra } from './shared.js';

/** `POST /v1/inbound/accounts` */
export const createAccount = {
  id: 'createAccount',
  gateway: 'inbound',
  method: 'post',
  path: '/v1/inbound/accounts',
  group: 'inbound',
  tag: 'Accounts',
  summary: 'Create an account',
  description: 'Creates a company. Its domain identifies it: when the account exists, the existing record is returned.',
  query: OnMatchQuery,
  body: CreateAccountBody,
  data: CreatedAccount,
  extra: writeExtra,
  errors: [409, 422],
  headers: createHeaders,
} as const satisfies OperationContract;
