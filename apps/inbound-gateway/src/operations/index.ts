import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { bulkCreateAccounts } from './bulk-create-accounts.js';
import { bulkCreateContacts } from './bulk-create-contacts.js';
import { bulkCreateOpportunities } from './bulk-create-opportunities.js';
import { bulkUpdateAccounts } from './bulk-update-accounts.js';
import { bulkUpdateContacts } from './bulk-update-contacts.js';
import { bulkUpdateOpportunities } from './bulk-update-opportunities.js';
import { createAccount } from './create-account.js';
import { createContact } from './create-contact.js';
import { createFieldOption } from './create-field-option.js';
import { createField } from './create-field.js';
import { createMember } from './create-member.js';
import { createNote } from './create-note.js';
import { createOpportunity } from './create-opportunity.js';
import { createPipeline } from './create-pipeline.js';
import { createStage } from './create-stage.js';
import { deleteAccount } from './delete-account.js';
import { deleteContact } from './delete-contact.js';
import { deleteMember } from './delete-member.js';
import { deleteNote } from './delete-note.js';
import { deleteOpportunity } from './delete-opportunity.js';
import { mergeAccount } from './merge-account.js';
import { mergeContact } from './merge-contact.js';
import { restoreRecord } from './restore-record.js';
import { updateAccount } from './update-account.js';
import { updateContact } from './update-contact.js';
import { updateFieldOption } from './update-field-option.js';
import { updateField } from './update-field.js';
import { updateMember } from './update-member.js';
import { updateNote } from './update-note.js';
import { updateOpportunity } from './update-opportunity.js';
import { updatePipeline } from './update-pipeline.js';
import { updateStage } from './update-stage.js';

/** Every operation that this gateway serves. */
export const operations: readonly Operation<Context>[] = [
  createOpportunity,
  updateOpportunity,
  deleteOpportunity,
  bulkCreateOpportunities,
  bulkUpdateOpportunities,
  createAccount,
  updateAccount,
  deleteAccount,
  mergeAccount,
  bulkCreateAccounts,
  bulkUpdateAccounts,
  createContact,
  updateContact,
  deleteContact,
  mergeContact,
  bulkCreateContacts,
  bulkUpdateContacts,
  createNote,
  updateNote,
  deleteNote,
  restoreRecord,
  createPipeline,
  updatePipeline,
  createStage,
  updateStage,
  createField,
  updateField,
  createFieldOption,
  updateFieldOption,
  createMember,
  updateMember,
  deleteMember,
];
