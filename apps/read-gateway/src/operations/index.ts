import type { Operation } from '@crm/http';
import type { Context } from '../context.js';
import { accountOperations } from './accounts.js';
import { contactOperations } from './contacts.js';
import { eventOperations } from './events.js';
import { noteOperations } from './notes.js';
import { opportunityOperations } from './opportunities.js';
import { setupOperations } from './setup.js';
import { webhookOperations } from './webhooks.js';

/** Every operation that this gateway serves. */
export const operations: readonly Operation<Context>[] = [
  ...opportunityOperations,
  ...accountOperations,
  ...contactOperations,
  ...noteOperations,
  ...eventOperations,
  ...setupOperations,
  ...webhookOperations,
];
