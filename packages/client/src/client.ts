import type { Answer } from './answer.js';
import type { ClientOptions, ReadOptions } from './options.js';
import type { AnyCustomFields, CustomFieldTypes } from './record-types.js';
import { createEvents, type Events } from './resources/events.js';
import { createFields, type Fields } from './resources/fields.js';
import { createMembers, type Members } from './resources/members.js';
import { createMerges, type Merges } from './resources/merges.js';
import { createNotes, type Notes } from './resources/notes.js';
import { createPipelines, type Pipelines } from './resources/pipelines.js';
import {
  createRecords,
  createStageReads,
  getByKey,
  type GetBy,
  type Records,
  type StageReads,
} from './resources/records.js';
import { createWebhooks, type Webhooks } from './resources/webhooks.js';
import { createSend } from './transport.js';
import type * as types from './types.js';

interface OpportunityTypes {
  object: 'opportunity';
  record: types.Opportunity;
  page: types.OpportunityPage;
  detail: types.OpportunityDetail;
  listQuery: types.ListOpportunitiesQuery;
  fieldsQuery: types.ListOpportunityFieldsQuery;
  search: types.SearchOpportunitiesBody;
  summary: types.SummarizeOpportunitiesBody;
  relation: 'account.domain' | 'account.name' | 'contact.email';
  include: 'notes';
  create: types.CreateOpportunityBody;
  created: types.CreatedOpportunity;
  update: types.UpdateOpportunityBody;
  updateItem: types.UpdateOpportunityItem;
}

interface Companions {
  include: 'opportunities' | 'contacts' | 'notes';
  listQuery: types.ListQuery;
  fieldsQuery: types.ListFieldsQuery;
  search: types.SearchBody;
  summary: types.SummaryBody;
}

interface AccountTypes extends Companions {
  object: 'account';
  record: types.Account;
  page: types.AccountPage;
  detail: types.AccountDetail;
  relation: never;
  create: types.CreateAccountBody;
  created: types.CreatedAccount;
  update: types.UpdateAccountBody;
  updateItem: types.UpdateAccountItem;
}

interface ContactTypes extends Companions {
  object: 'contact';
  record: types.Contact;
  page: types.ContactPage;
  detail: types.ContactDetail;
  relation: 'account.domain' | 'account.name';
  create: types.CreateContactBody;
  created: types.CreatedContact;
  update: types.UpdateContactBody;
  updateItem: types.UpdateContactItem;
}

/** The calls for opportunities whose custom fields have the type `C`. */
export type Opportunities<C> = Records<OpportunityTypes, C>;
/** See {@link Opportunities}. */
export type Accounts<C> = Records<AccountTypes, C>;
/** See {@link Opportunities}. */
export type Contacts<C> = Records<ContactTypes, C>;

/** The calls of the API, with the key of one organization. */
export interface CrmClient<C extends CustomFieldTypes = AnyCustomFields> {
  readonly opportunities: Opportunities<C['opportunities']> & StageReads;
  readonly accounts: Accounts<C['accounts']> &
    Merges & {
      /** Gets the account that a create with this domain would find; returns the same as `get`. */
      readonly getByDomain: GetBy<AccountTypes, C['accounts']>;
    };
  readonly contacts: Contacts<C['contacts']> &
    Merges & {
      /** Gets the contact that a create with this email would find; returns the same as `get`. */
      readonly getByEmail: GetBy<ContactTypes, C['contacts']>;
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
  readonly events: Events<C>;
  /** The receivers of events. */
  readonly webhooks: Webhooks;
}

/**
 * Creates a client. It holds no connections, so there is nothing to close.
 *
 * ```ts
 * const crm = createClient({ url: 'https://crm.example.com', apiKey: process.env.CRM_API_KEY ?? '' });
 * for await (const deal of crm.opportunities.list({ pipeline_id })) console.log(deal.name);
 * ```
 * A type parameter gives the custom fields their types. `crm types` writes it.
 *
 * @throws TypeError for an invalid address or key
 */
export const createClient = <C extends CustomFieldTypes = AnyCustomFields>(options: ClientOptions): CrmClient<C> => {
  const send = createSend(options);
  const accounts: Accounts<C['accounts']> = createRecords(send, 'accounts');
  const contacts: Contacts<C['contacts']> = createRecords(send, 'contacts');
  const opportunities: Opportunities<C['opportunities']> = createRecords(send, 'opportunities');
  return {
    opportunities: { ...opportunities, ...createStageReads(send) },
    accounts: {
      ...accounts,
      ...createMerges(send, 'accounts'),
      getByDomain: getByKey<AccountTypes, C['accounts']>(send, '/v1/accounts/by-domain'),
    },
    contacts: {
      ...contacts,
      ...createMerges(send, 'contacts'),
      getByEmail: getByKey<ContactTypes, C['contacts']>(send, '/v1/contacts/by-email'),
    },
    notes: createNotes(send),
    pipelines: createPipelines(send),
    fields: createFields(send),
    members: createMembers(send),
    key: { get: (options) => send<types.KeyDetail>({ gateway: 'read', method: 'GET', path: '/v1/key' }, options) },
    events: createEvents(send),
    webhooks: createWebhooks(send),
  };
};
