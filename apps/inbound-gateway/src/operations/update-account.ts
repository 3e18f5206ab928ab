import { updateAccount as contract } from '@crm/contract';
import { accountUpdate } from '@crm/db';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readAccountChange } from '../input/read-account.js';
import { updateRecord } from '../update-record.js';

/** `PATCH /v1/inbound/accounts/{id}` */
export const updateAccount = defineOperation<Context, typeof contract>(contract, (context, request) =>
  updateRecord(context, request, 'account', (setup, target, errors) =>
    accountUpdate(target, readAccountChange(setup, request.body, errors)),
  ),
);
