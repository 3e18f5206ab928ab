import { eventObjects, eventTypes } from '@crm/domain';
import { Type } from 'typebox';
import { operation } from '../operation.js';
import { oneOf, uuid } from '../schemas/build.js';
import {
  AfterPosition,
  ChangedParameter,
  EventLogPage,
  LatestPosition,
  LogCursor,
  WaitSeconds,
} from '../schemas/event.js';
import { closed } from '../schemas/input.js';
import { pageQuery } from '../schemas/pagination.js';

/** `GET /v1/events` */
export const listEvents = operation(['listEvents', 'GET /v1/events', 'list', 'Events'], {
  summary: 'Read the change log',
  description:
    'Returns every committed change of an account, contact, opportunity or note, oldest first. If there is no ' +
    'event yet, the request waits for one for up to `wait` seconds.',
  query: closed(
    {
      after: Type.Optional(AfterPosition),
      cursor: Type.Optional(LogCursor),
      limit: Type.Optional(pageQuery.limit),
      object: Type.Optional(
        oneOf(eventObjects, 'Only events of records of this kind.', undefined, { title: 'EventObject' }),
      ),
      type: Type.Optional(oneOf(eventTypes, 'Only events of this type.', undefined, { title: 'EventType' })),
      record_id: Type.Optional(uuid('Only events of this record.', 'account')),
      changed: Type.Optional(ChangedParameter),
      wait: Type.Optional(WaitSeconds),
    },
    {},
  ),
  data: EventLogPage,
  errors: [410],
});

/** `GET /v1/events/latest` */
export const getLatestPosition = operation(['getLatestPosition', 'GET /v1/events/latest', 'list', 'Events'], {
  summary: 'Get the end of the change log',
  description:
    'Returns the position of the newest event. To copy all records: get this position, read the lists, then read ' +
    'the events after the position. Send the `X-Read-After` of this response with the list requests, so that ' +
    'no list is older than the position.',
  data: LatestPosition,
  headers: {
    'X-Read-After':
      'An opaque token. A read that sends it as `X-Read-After` sees all changes up to this position, even if a replica ' +
      'serves reads.',
  },
});
