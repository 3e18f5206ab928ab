import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { getAccount } from './get-account.js';
import { getAccountByDomain } from './get-account-by-domain.js';
import { getContact } from './get-contact.js';
import { getLatestPosition } from './get-latest-position.js';
import { getContactByEmail } from './get-contact-by-email.js';
import { getNote } from './get-note.js';
import { getOpportunity } from './get-opportunity.js';
import { listAccountDuplicates } from './list-account-duplicates.js';
import { listAccountFields } from './list-account-fields.js';
import { listAccountHistory } from './list-account-history.js';
import { listAccounts } from './list-accounts.js';
import { listContactDuplicates } from './list-contact-duplicates.js';
import { listContactFields } from './list-contact-fields.js';
import { listContactHistory } from './list-contact-history.js';
import { listContacts } from './list-contacts.js';
import { listEvents } from './list-events.js';
import { listMembers } from './list-members.js';
import { listNotes } from './list-notes.js';
import { listOpportunities } from './list-opportunities.js';
import { listOpportunityDuplicates } from './list-opportunity-duplicates.js';
import { listOpportunityFields } from './list-opportunity-fields.js';
import { listOpportunityHistory } from './list-opportunity-history.js';
import { listPipelineStages } from './list-pipeline-stages.js';
import { listPipelines } from './list-pipelines.js';
import { searchAccounts } from './search-accounts.js';
import { searchContacts } from './search-contacts.js';
import { searchOpportunities } from './search-opportunities.js';
import { summarizeAccounts } from './summarize-accounts.js';
import { summarizeContacts } from './summarize-contacts.js';
import { summarizeOpportunities } from './summarize-opportunities.js';

/** Every operation that this gateway serves. */
export const operations: readonly Operation<Context>[] = [
  getAccount,
  getAccountByDomain,
  getContact,
  getLatestPosition,
  getContactByEmail,
  getOpportunity,
  listAccountDuplicates,
  listAccountFields,
  listAccountHistory,
  listAccounts,
  listContactDuplicates,
  listContactFields,
  listContactHistory,
  listContacts,
  listEvents,
  listNotes,
  getNote,
  listOpportunities,
  listOpportunityDuplicates,
  listOpportunityFields,
  listOpportunityHistory,
  listPipelineStages,
  listPipelines,
  listMembers,
  searchAccounts,
  searchContacts,
  searchOpportunities,
  summarizeAccounts,
  summarizeContacts,
  summarizeOpportunities,
];
