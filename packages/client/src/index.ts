export type { Answer, WriteAnswer } from './answer.js';
export { type Accounts, type Contacts, createClient, type CrmClient, type Opportunities } from './client.js';
export {
  CrmApiError,
  CrmConflictError,
  CrmConnectionError,
  CrmError,
  type CrmErrorCode,
  CrmIdempotencyError,
  CrmNotFoundError,
  CrmRateLimitError,
  CrmStartOverError,
  CrmUnauthorizedError,
  CrmUnavailableError,
  CrmValidationError,
  CrmVersionError,
} from './errors.js';
export type { Listing, PageInfo } from './listing.js';
export type * from './options.js';
export type * from './queries.js';
export type * from './record-types.js';
export type { Events, EventStream } from './resources/events.js';
export type { Fields } from './resources/fields.js';
export type { Members } from './resources/members.js';
export type { Notes } from './resources/notes.js';
export type { Pipelines } from './resources/pipelines.js';
export type { Records, RecordTypes } from './resources/records.js';
export type { Webhooks } from './resources/webhooks.js';
export type * from './types.js';
