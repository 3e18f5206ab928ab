import { bulkCreateAccounts as contract } from '@crm/contract';
import { accountCreate } from '@crm/db';
import { defineOperation } from '@crm/http';
import { bulkHandler } from '../bulk.js';
import type { Context } from '../context.js';
import { readNewAccount } from '../input/read-account.js';

const handle = bulkHandler(contract);

/** `POST /v1/inbound/accounts/bulk` */
export const bulkCreateAccounts = defineOperation<Context, typeof contract>(contract, (context, request) =>
  handle(context, request, {
    function: 'create_account',
    notFoundPath: 'domain',
    read: (setup, item, errors) => accountCreate(readNewAccount(setup, item, errors), request.query.on_match ?? 'keep'),
  }),
);
