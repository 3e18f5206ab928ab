import type { Answer } from './answer.js';
import type { ClientOptions, ReadOptions } from './options.js';
import type { ListFieldsQuery, ListOpportunitiesQuery, ListOpportunityFieldsQuery, ListQuery } from './queries.js';
import type { Listing } from './listing.js';
import type {
  AnyCustomFields,
  CustomFieldTypes,
  Selected,
  SelectedIn,
  WithCustomFields,
  WithCustomInput,
} from './record-types.js';
import { createEvents, type Events } from './resources/events.js';
import { createFields, type Fields } from './resources/fields.js';
import { createMembers, type Members } from './resources/members.js';
import { createMerges, type Merges } from './resources/merges.js';
import { createNotes, type Notes } from './resources/notes.js';
import { createPipelines, type Pipelines } from './resources/pipelines.js';
import { createRecords, getByKey, type GetByKey, type Records } from './resources/records.js';
import { createWebhooks, type Webhooks } from './resources/webhooks.js';
import { createSend } from './transport.js';
import type * as types from './types.js';

type Opportunity<C> = WithCustomFields<types.Opportunity, C>;
type OpportunityPage<C> = WithCustomFields<types.OpportunityPage, C>;
type Account<C> = WithCustomFields<types.Account, C>;
type AccountPage<C> = WithCustomFields<types.AccountPage, C>;
type Contact<C> = WithCustomFields<types.Contact, C>;
type ContactPage<C> = WithCustomFields<types.ContactPage, C>;

/** The calls for opportunities whose custom fields have the type `C`. */
export type Opportunities<C> = Records<{
  record: Opportunity<C>;
  page: OpportunityPage<C>;
  detail: WithCustomFields<types.OpportunityDetail, C>;
  list: <const F extends string = string>(
    query: ListOpportunitiesQuery<F>,
    options?: ReadOptions,
  ) => Listing<Selected<Opportunity<C>, F>, SelectedIn<OpportunityPage<C>, F>>;
  fieldsQuery: ListOpportunityFieldsQuery;
  search: types.SearchOpportunitiesBody;
  summary: types.SummarizeOpportunitiesBody;
  create: WithCustomInput<types.CreateOpportunityBody, C>;
  created: types.CreatedOpportunity;
  update: WithCustomInput<types.UpdateOpportunityBody, C>;
  updateItem: WithCustomInput<types.UpdateOpportunityItem, C>;
}>;

/** See {@link Opportunities}. */
export type Accounts<C> = Records<{
  record: Account<C>;
  page: AccountPage<C>;
  detail: WithCustomFields<types.AccountDetail, C>;
  list: <const F extends string = string>(
    query?: ListQuery<F>,
    options?: ReadOptions,
  ) => Listing<Selected<Account<C>, F>, SelectedIn<AccountPage<C>, F>>;
  fieldsQuery: ListFieldsQuery;
  search: types.SearchBody;
  summary: types.SummaryBody;
  create: WithCustomInput<types.CreateAccountBody, C>;
  created: types.CreatedAccount;
  update: WithCustomInput<types.UpdateAccountBody, C>;
  updateItem: WithCustomInput<types.UpdateAccountItem, C>;
}>;

/** See {@link Opportunities}. */
export type Contacts<C> = Records<{
  record: Contact<C>;
  page: ContactPage<C>;
  detail: WithCustomFields<types.ContactDetail, C>;
  list: <const F extends string = string>(
    query?: ListQuery<F>,
    options?: ReadOptions,
  ) => Listing<Selected<Contact<C>, F>, SelectedIn<ContactPage<C>, F>>;
  fieldsQuery: ListFieldsQuery;
  search: types.SearchBody;
  summary: types.SummaryBody;
  create: WithCustomInput<types.CreateContactBody, C>;
  created: types.CreatedContact;
  update: WithCustomInput<types.UpdateContactBody, C>;
  updateItem: WithCustomInput<types.UpdateContactItem, C>;
}>;

/** The calls of the API, with the key of one organization. */
export interface CrmClient<C extends CustomFieldTypes = AnyCustomFields> {
  readonly opportunities: Opportunities<C['opportunities']>;
  readonly accounts: Accounts<C['accounts']> &
    Merges & {
      /** Gets the account that a create with this domain would find; returns the same as `get`. */
      readonly getByDomain: GetByKey<types.Account, WithCustomFields<types.AccountDetail, C['accounts']>>;
    };
  readonly contacts: Contacts<C['contacts']> &
    Merges & {
      /** Gets the contact that a create with this email would find; returns the same as `get`. */
      readonly getByEmail: GetByKey<types.Contact, WithCustomFields<types.ContactDetail, C['contacts']>>;
    };
  readonly notes: Notes;
  readonly pipelines: Pipelines;
  readonly fields: Fields;
  readonly members: Members;
  /** The key of this client. */
  readonly key: {
    /** Gets what the key allows. */
    readonly get: (options?: ReadOptions) => Promise<Answer<types.KeyDetail>>;
  };
  /** The change log. */
  readonly events: Events;
  /** The receivers of events. */
  readonly webhooks: Webhooks;
}

/**
 * Creates a client. It holds no connections, so there is nothing to close.
 *
 * ```ts
 * const crm = createClient({ readUrl: 'https://crm.example.com', apiKey: process.env.CRM_API_KEY ?? '' });
 * for await (const deal of crm.opportunities.list({ pipeline_id })) console.log(deal.name);
 * ```
 * A type parameter gives the custom fields their types:
 *
 * ```ts
 * interface Fields { opportunities: { tier?: 'smb' | 'ent' }; accounts: object; contacts: object }
 * const crm = createClient<Fields>({ readUrl, apiKey });
 * ```
 * @throws TypeError for an invalid address or key
 */
export const createClient = <C extends CustomFieldTypes = AnyCustomFields>(options: ClientOptions): CrmClient<C> => {
  const send = createSend(options);
  const accounts: Accounts<C['accounts']> = createRecords(send, 'accounts');
  const contacts: Contacts<C['contacts']> = createRecords(send, 'contacts');
  return {
    opportunities: createRecords(send, 'opportunities'),
    accounts: { ...accounts, ...createMerges(send, 'accounts'), getByDomain: getByKey(send, '/v1/accounts/by-domain') },
    contacts: { ...contacts, ...createMerges(send, 'contacts'), getByEmail: getByKey(send, '/v1/contacts/by-email') },
    notes: createNotes(send),
    pipelines: createPipelines(send),
    fields: createFields(send),
    members: createMembers(send),
    key: { get: (options) => send<types.KeyDetail>({ gateway: 'read', method: 'GET', path: '/v1/key' }, options) },
    events: createEvents(send),
    webhooks: createWebhooks(send),
  };
};
