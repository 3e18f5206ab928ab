import { eventObjects, eventTypes } from '@crm/domain';
import { Type, type Static } from 'typebox';
import { rawParameterLength, waitSeconds } from '../bounds.js';
import { checkedAs, instant, mapOf, nullable, oneOf, uuid } from './build.js';
import { exampleIds } from './example-ids.js';
import { pageProperties } from './pagination.js';

const examplePosition = 1_042;
const exampleLogId = '66b2f6a1c3d94e5a-16384-16923-1';

const exampleEvent = {
  id: exampleIds.event,
  position: examplePosition,
  type: 'account.updated',
  object: 'account',
  record_id: exampleIds.account,
  version: 2,
  occurred_at: '2026-03-02T09:30:00.000Z',
  record: { id: exampleIds.account, domain: 'acme.com', name: 'Acme Inc.', version: 2 },
  previous: { name: 'Acme' },
  changed: ['name'],
  request_id: 'f47ac10b-58cc-4372-a567-0e02b2c3d479',
  api_key_id: exampleIds.apiKey,
};

const position = (description: string) => Type.Integer({ minimum: 0, description, examples: [examplePosition] });

const logId = Type.String({
  description:
    'Names this log. It changes when the database was restored from a backup: start over with a new copy then.',
  examples: [exampleLogId],
});

/** A change, as the log answers it. */
export const Event = Type.Object(
  {
    id: uuid('Id of the event.', 'event'),
    position: Type.Integer({
      minimum: 1,
      description: 'Its number in the organization: 1, 2, 3 … without gaps, in the order of the commits.',
      examples: [examplePosition],
    }),
    type: oneOf(eventTypes, { description: 'What happened.', examples: ['account.updated'] }),
    object: oneOf(eventObjects, { description: 'What kind of record it happened to.', examples: ['account'] }),
    record_id: uuid('Id of that record.', 'account'),
    version: Type.Integer({ minimum: 1, description: 'Version of the record after the change.', examples: [2] }),
    occurred_at: instant('When the change was made.'),
    record: nullable(
      mapOf(Type.Unknown(), {
        description: 'The record after the change; null when it was deleted, or its values were erased.',
      }),
    ),
    previous: nullable(
      mapOf(Type.Unknown(), {
        description:
          'The values before, of what changed: the whole record when it was deleted, null when it was created or restored. Where ' +
          '`record` is null too, the values of the event were erased with their contact or note.',
      }),
    ),
    changed: Type.Array(Type.String(), {
      description: 'Names of the values that changed, a custom field as `custom_fields.<slug>`.',
      examples: [['name']],
    }),
    request_id: nullable(
      Type.String({ description: '`X-Request-Id` of the request that made the change; null when none did.' }),
    ),
    api_key_id: nullable(uuid('Id of the key of that request.', 'apiKey')),
  },
  { title: 'Event', description: 'A change of a record.', examples: [exampleEvent] },
);
export type Event = Static<typeof Event>;

/** `data` of a page of the log. */
export const EventLogPage = Type.Object(
  {
    events: Type.Array(Event, { description: 'The events of this page, oldest first.' }),
    next_position: position('Send it as `after` for the next page. It moves past events that a filter left out.'),
    last_position: position('Position of the newest event; 0 when there has been none.'),
    oldest_position: Type.Integer({
      minimum: 1,
      description: 'Position of the oldest event that is retained; the next position if there is none.',
      examples: [1],
    }),
    has_more: Type.Boolean({ description: 'Whether there are events after `next_position`.', examples: [false] }),
    log_id: logId,
  },
  {
    title: 'EventLogPage',
    description: 'A page of the change log.',
    examples: [
      {
        events: [exampleEvent],
        next_position: examplePosition,
        last_position: examplePosition,
        oldest_position: 1,
        has_more: false,
        log_id: exampleLogId,
      },
    ],
  },
);
export type EventLogPage = Static<typeof EventLogPage>;

/** `data` of the latest position. */
export const LatestPosition = Type.Object(
  { position: position('Position of the newest event; 0 when there has been none.'), log_id: logId },
  {
    title: 'LatestPosition',
    description: 'Where the change log ends.',
    examples: [{ position: examplePosition, log_id: exampleLogId }],
  },
);
export type LatestPosition = Static<typeof LatestPosition>;

/** `data` of a page of a record's history. */
export const HistoryPage = Type.Object(
  {
    events: Type.Array(Event, { description: 'The events of this page, newest first.' }),
    log_id: logId,
    ...pageProperties,
  },
  {
    title: 'HistoryPage',
    description: 'A page of the events of one record.',
    examples: [{ events: [exampleEvent], log_id: exampleLogId, has_more: false, next_cursor: null, limit: 100 }],
  },
);
export type HistoryPage = Static<typeof HistoryPage>;

/** `after` of the log. */
export const AfterPosition = Type.String({
  maxLength: rawParameterLength,
  description: 'Only events after this position. The oldest that is retained comes first when absent.',
  'x-document': { type: 'integer', minimum: 0 },
  ...checkedAs('position'),
});

/** `wait` of the log. */
export const WaitSeconds = Type.String({
  maxLength: rawParameterLength,
  description: 'Waits so many seconds for an event when there is none.',
  'x-document': { type: 'integer', minimum: 0, maximum: waitSeconds, default: 0 },
  ...checkedAs('wait'),
});
