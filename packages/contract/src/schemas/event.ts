import { eventObjects, eventTypes, maxChangedNames, maxWaitSeconds } from '@crm/domain';
import { Type, type Static } from 'typebox';
import { fieldsEntryLength, rawParameterLength } from '../bounds.js';
import {
  checkedAs,
  flag,
  instant,
  integer,
  listOf,
  mapOf,
  nullable,
  oneOf,
  responseObject,
  text,
  uuid,
} from './build.js';
import { exampleIds, exampleLogId } from './example-ids.js';
import { pageOf } from './pagination.js';

const examplePosition = 1_042;

const position = (description: string) => integer(description, examplePosition, { minimum: 0 });

/** `log_id` of the log and of messages. */
export const logId = text(
  'Id of this log. It changes when the database is restored from a backup, a replica is promoted or `pg_upgrade` ' +
    'is run: then copy all records again.',
  exampleLogId,
);

/** A change in the log. */
export const Event = responseObject('Event', 'A change of a record.', {
  id: uuid('Id of the event.', 'event'),
  log_id: logId,
  position: integer('Its number in the organization: 1, 2, 3 … without gaps, in commit order.', examplePosition, {
    minimum: 1,
  }),
  type: oneOf(eventTypes, 'What happened.', 'account.updated'),
  object: oneOf(eventObjects, 'The kind of the changed record.', 'account'),
  record_id: uuid('Id of the changed record.', 'account'),
  version: integer('Version of the record after the change.', 2, { minimum: 1 }),
  occurred_at: instant('When the change was made.'),
  record: nullable(
    mapOf(Type.Unknown(), {
      description: 'The record after the change. Null if it was deleted or its values were erased.',
      examples: [{ id: exampleIds.account, domain: 'acme.com', name: 'Acme Inc.', version: 2 }],
    }),
  ),
  previous: nullable(
    mapOf(Type.Unknown(), {
      description:
        'The old values of the changed fields. The whole record for a deletion, null for a creation or restoration. ' +
        'If `record` is null too, the values were erased with their contact or note.',
      examples: [{ name: 'Acme' }],
    }),
  ),
  changed: listOf(Type.String(), 'Names of the changed fields; a custom field is `custom_fields.<slug>`.', ['name']),
  request_id: nullable(
    text(
      '`X-Request-Id` of the request that made the change; null if no request did.',
      'f47ac10b-58cc-4372-a567-0e02b2c3d479',
    ),
  ),
  api_key_id: nullable(uuid('Id of the key of that request.', 'apiKey')),
  merged_into: nullable(
    uuid(
      'Of a `deleted` event: id of the record that the deleted one was merged into; null if it was not merged.',
      'second',
    ),
  ),
  merged_from: nullable(
    uuid('Of a `merged` event: id of the record that was merged into this one, and deleted.', 'second'),
  ),
});
export type Event = Static<typeof Event>;

/** `data` of a page of the log. */
export const EventLogPage = responseObject('EventLogPage', 'A page of the change log.', {
  events: listOf(Event, 'The events of this page, oldest first.'),
  next_position: position('Store it as `after` for later requests. Events that a filter leaves out also advance it.'),
  last_position: position('Position of the newest event; 0 if there has been none.'),
  oldest_position: integer('Position of the oldest event that is retained; the next position if there is none.', 1, {
    minimum: 1,
  }),
  has_more: flag('Whether there are events after `next_position`.', false),
  next_cursor: nullable(
    text('Send it as `cursor` for the next page; null at the end of the log.', `${exampleLogId}:${examplePosition}`),
  ),
  log_id: logId,
});
export type EventLogPage = Static<typeof EventLogPage>;

/** `data` of the latest position. */
export const LatestPosition = responseObject('LatestPosition', 'The end of the change log.', {
  position: position('Position of the newest event; 0 if there has been none.'),
  log_id: logId,
});
export type LatestPosition = Static<typeof LatestPosition>;

/** `data` of a page of a record's history. */
export const HistoryPage = pageOf('HistoryPage', 'A page of the events of one record.', {
  events: listOf(Event, 'The events of this page, newest first.'),
  log_id: logId,
});
export type HistoryPage = Static<typeof HistoryPage>;

const positionInLog = { type: 'string', pattern: '^([0-9a-zA-Z-]{1,100}:)?(0|[1-9][0-9]{0,14})$' };

/** `after` of the log. */
export const AfterPosition = Type.String({
  maxLength: rawParameterLength,
  description:
    'Only events after this position. By default, and after 0, starts with the oldest retained event. ' +
    '`<log_id>:<position>` is 410 if the log is another one.',
  'x-document': positionInLog,
  ...checkedAs('position'),
});

/** `cursor` of the log. */
export const LogCursor = Type.String({
  maxLength: rawParameterLength,
  description: '`next_cursor` of the previous page. It wins over `after`, which may stay as it was for the first page.',
  'x-document': positionInLog,
  ...checkedAs('position'),
});

/** `changed` of the log: repeated, or comma-separated in one. */
export const ChangedParameter = listOf(
  Type.String({ maxLength: fieldsEntryLength }),
  'Of the `updated` events, only those that changed one of these fields; all other events pass. Names as in `changed` of ' +
    'events, or slugs or `custom__<slug>` of custom fields. Repeat the parameter or separate the names by commas.',
  ['stage_id', 'amount'],
  { maxItems: maxChangedNames },
);

/** `wait` of the log. */
export const WaitSeconds = Type.String({
  maxLength: rawParameterLength,
  description: 'How many seconds to wait for an event if there is none.',
  'x-document': { type: 'integer', minimum: 0, maximum: maxWaitSeconds, default: 0 },
  ...checkedAs('wait'),
});
