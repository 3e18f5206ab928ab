import { account } from '@crm/domain';
import { nullable, responseObject, text, uuid } from '../schemas/build.js';
import { exampleIds } from '../schemas/example-ids.js';
import { DomainInput } from '../schemas/input.js';
import { bodySchemas, flatBodies, responseSchemas } from '../schemas/object-schemas.js';
import {
  getByKeyOf,
  mergeOf,
  readOperationsOf,
  schemasWithoutPipeline,
  writeOperationsOf,
} from './object-operations.js';

const { page, detail } = responseSchemas(account);

const bodies = bodySchemas(account, flatBodies(account), {
  create: { description: 'A company.', examples: [{ domain: 'acme.com' }] },
  update: {
    description: 'Changes to an account. Absent fields stay; `null` clears a field.',
    examples: [{ industry: 'Manufacturing', description: null }],
  },
  createItems: [{ domain: 'acme.com' }, { domain: 'example.com' }],
  updateItems: [{ id: exampleIds.account, industry: 'Manufacturing' }],
});

const created = responseObject('CreatedAccount', 'The account that the call created or found.', {
  company_id: uuid('Id of the account.', 'account'),
  domain: text('Its domain, normalized.', 'acme.com'),
  name: nullable(text('Its name; null if it was cleared.', 'Acme')),
  account_id: uuid('The same as `company_id`.', 'account'),
});

/** The reads of accounts, as every object has them. */
export const accountReads = readOperationsOf(
  account,
  { ...schemasWithoutPipeline('account'), page, detail },
  { summary: 'List accounts', description: 'Pages through the accounts, newest first.' },
);
export const {
  list: listAccounts,
  search: searchAccounts,
  summarize: summarizeAccounts,
  duplicates: listAccountDuplicates,
  fields: listAccountFields,
  schema: getAccountSchema,
  get: getAccount,
  history: listAccountHistory,
} = accountReads;

/** `GET /v1/accounts/by-domain/{domain}` */
export const getAccountByDomain = getByKeyOf(
  account,
  'domain',
  { domain: DomainInput('Domain of the account; normalized as on creation.') },
  detail,
);

/** The writes of accounts. */
export const {
  create: createAccount,
  update: updateAccount,
  delete: deleteAccount,
  bulkCreate: bulkCreateAccounts,
  bulkUpdate: bulkUpdateAccounts,
} = writeOperationsOf(
  account,
  bodies,
  { created, detail },
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
export const mergeAccount = mergeOf(account, 'domain', 'contacts, opportunities and notes');
