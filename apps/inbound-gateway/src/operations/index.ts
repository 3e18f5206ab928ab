import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { accountOperations } from './accounts.js';
import { contactOperations } from './contacts.js';
import { fieldOperations } from './fields.js';
import { memberOperations } from './members.js';
import { noteOperations } from './notes.js';
import { opportunityOperations } from './opportunities.js';
import { pipelineOperations } from './pipelines.js';
import { restoreRecord } from './restore.js';
import { webhookOperations } from './webhooks.js';

/** Every operation that this gateway serves. */
export const operations: readonly Operation<Context>[] = [
  ...opportunityOperations,
  ...accountOperations,
  ...contactOperations,
  ...noteOperations,
  restoreRecord,
  ...pipelineOperations,
  ...fieldOperations,
  ...memberOperations,
  ...webhookOperations,
];
