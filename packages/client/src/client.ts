import type { ClientOptions, ReadOptions } from './options.js';
import type { ListOpportunitiesQuery, ListOpportunityFieldsQuery, ListQuery, PageQuery } from './queries.js';
import { createNotes, type Notes } from './resources/notes.js';
import { createPipelines, type Pipelines } from './resources/pipelines.js';
import { createRecords, type Records } from './resources/records.js';
import { createSend } from './transport.js';
import type * as types from './types.js';

interface OpportunityTypes {
  record: types.Opportunity;
  page: types.OpportunityPage;
  detail: types.OpportunityDetail;
  list: [query: ListOpportunitiesQuery, options?: ReadOptions];
  fieldsQuery: ListOpportunityFieldsQuery;
  search: types.SearchOpportunitiesBody;
  create: types.CreateOpportunityBody;
  created: types.CreatedOpportunity;
  update: types.UpdateOpportunityBody;
  updateItem: types.UpdateOpportunityItem;
}

interface AccountTypes {
  record: types.Account;
  page: types.AccountPage;
  detail: types.AccountDetail;
  list: [query?: ListQuery, options?: ReadOptions];
  fieldsQuery: PageQuery;
  search: types.SearchBody;
  create: types.CreateAccountBody;
  created: types.CreatedAccount;
  update: types.UpdateAccountBody;
  updateItem: types.UpdateAccountItem;
}

interface ContactTypes {
  record: types.Contact;
  page: types.ContactPage;
  detail: types.ContactDetail;
  list: [query?: ListQuery, options?: ReadOptions];
  fieldsQuery: PageQuery;
  search: types.SearchBody;
  create: types.CreateContactBody;
  created: types.CreatedContact;
  update: types.UpdateContactBody;
  updateItem: types.UpdateContactItem;
}

/** The CRM, as an organization's key sees it. */
export interface CrmClient {
  readonly opportunities: Records<OpportunityTypes>;
  readonly accounts: Records<AccountTypes>;
  readonly contacts: Records<ContactTypes>;
  readonly notes: Notes;
  readonly pipelines: Pipelines;
}

/**
 * Makes a client. It holds no connection of its own: there is nothing to close.
 *
 * ```ts
 * const crm = createClient({ readUrl: 'https://crm.example.com', apiKey: process.env.CRM_API_KEY ?? '' });
 * for await (const deal of crm.opportunities.list({ pipeline_id })) console.log(deal.name);
 * ```
 * @throws TypeError for an address or a key that cannot work
 */
export const createClient = (options: ClientOptions): CrmClient => {
  const send = createSend(options);
  return {
    opportunities: createRecords<OpportunityTypes>(send, 'opportunities'),
    accounts: createRecords<AccountTypes>(send, 'accounts'),
    contacts: createRecords<ContactTypes>(send, 'contacts'),
    notes: createNotes(send),
    pipelines: createPipelines(send),
  };
};
