import { listContacts as contract } from '@crm/contract';
import { parseLimit, parseSearchQuery } from '@crm/domain';
import { defineOperation } from '@crm/http';
import type { Context } from '../context.js';
import { readPage } from '../page.js';

/** `GET /v1/contacts`: all contacts, newest first. */
export const listContacts = defineOperation<Context, typeof contract>(contract, (context, { caller, query }) =>
  context.setups.use(caller.organizationId, (setup) =>
    readPage(context, setup, {
      operation: contract.id,
      objectType: 'contact',
      queryPath: 'q',
      readWords: (errors) => parseSearchQuery(query.q, 'q', errors),
      defaultSort: 'created_at',
      cursor: query.cursor,
      readLimit: (errors) => parseLimit(query.limit, errors),
      fields: query.fields,
    }),
  ),
);
