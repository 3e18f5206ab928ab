import type { OperationContract } from '../operation.js';
import { createAccount } from './accounts.js';
import { createContact } from './contacts.js';
import { createNote } from './notes.js';
import { createOpportunity, listOpportunities } from './opportunities.js';

/** What the read gateway serves. */
export const readOperations: readonly OperationContract[] = [listOpportunities];

/** What the inbound gateway serves. */
export const inboundOperations: readonly OperationContract[] = [
  createOpportunity,
  createNote,
  createContact,
  createAccount,
];
