import type { OperationContract } from '../operation.js';
import { createAccount, getAccount, listAccountFields, listAccounts, searchAccounts } from './accounts.js';
import { createContact, getContact, listContactFields, listContacts, searchContacts } from './contacts.js';
import { createNote, listNotes } from './notes.js';
import {
  createOpportunity,
  getOpportunity,
  listOpportunities,
  listOpportunityFields,
  searchOpportunities,
} from './opportunities.js';
import { listPipelines, listPipelineStages } from './pipelines.js';

/** What the read gateway serves. */
export const readOperations: readonly OperationContract[] = [
  listOpportunities,
  searchOpportunities,
  getOpportunity,
  listOpportunityFields,
  listAccounts,
  searchAccounts,
  getAccount,
  listAccountFields,
  listContacts,
  searchContacts,
  getContact,
  listContactFields,
  listNotes,
  listPipelines,
  listPipelineStages,
];

/** What the inbound gateway serves. */
export const inboundOperations: readonly OperationContract[] = [
  createOpportunity,
  createNote,
  createContact,
  createAccount,
];
