import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { createAccount } from './create-account.js';
import { createContact } from './create-contact.js';
import { createNote } from './create-note.js';
import { createOpportunity } from './create-opportunity.js';

/** Every operation that this gateway serves. */
export const operations: readonly Operation<Context>[] = [createOpportunity, createNote, createContact, createAccount];
