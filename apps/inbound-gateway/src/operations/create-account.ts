import { createAccount as contract } from '@crm/contract';
import { accountCreate } from '@crm/db';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { createMessage, createRecord } from '../create-record.js';
import { readNewAccount } from '../input/read-account.js';
import { warningsExtra } from '../warnings.js';

/** `POST /v1/inbound/accounts`: creates or finds the account of a domain. */
export const createAccount = defineOperation<Context, typeof contract>(contract, (context, request) =>
  createRecord(context, contract, request, {
    read: (setup, errors) =>
      accountCreate(readNewAccount(setup, request.body, errors), request.query.on_match ?? 'keep'),
    answer: ({ id, domain, name, record_status: status, unapplied }) => ({
      message: createMessage('Account', status),
      data: { company_id: id, domain, name },
      extra: warningsExtra(unapplied),
      headers: { 'X-Record-Status': status },
    }),
  }),
);
