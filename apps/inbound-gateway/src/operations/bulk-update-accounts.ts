import { bulkUpdateAccounts as contract } from '@crm/contract';
import { accountUpdate } from '@crm/db';
import { defineOperation } from '@crm/http';
import { bulkHandler } from '../bulk.js';
import type { Context } from '../context.js';
import { readAccountChange } from '../input/read-account.js';

const handle = bulkHandler(contract);

/** `PATCH /v1/inbound/accounts/bulk` */
export const bulkUpdateAccounts = defineOperation<Context, typeof contract>(contract, (context, request) =>
  handle(context, request, {
    function: 'update_account',
    notFoundPath: 'id',
    read: (setup, { id, version, ...body }, errors) =>
      accountUpdate({ id: id.toLowerCase(), version }, readAccountChange(setup, body, errors)),
  }),
);
