import { eventObjects, eventTypes } from '@crm/domain';
import { Type } from 'typebox';
import type { OperationContract } from '../operation.js';
import { oneOf, uuid } from '../schemas/build.js';
import { AfterPosition, EventLogPage, HistoryPage, LatestPosition, WaitSeconds } from '../schemas/event.js';
import { closed } from '../schemas/input.js';
import { pageQuery } from '../schemas/pagination.js';
import { idParams, PageQuery } from './shared.js';

/** `GET /v1/events` */
export const listEvents = {
  id: 'listEvents',
  gateway: 'read',
  method: 'get',
  path: '/v1/events',
  group: 'list',
  tag: 'Events',
  summary: 'Read the change log',
  description:
    'Returns every committed change of an account, contact, opportunity or note, oldest first. If there is no ' +
    'event yet, the request waits for one for up to `wait` seconds.',
  query: closed(
    {
      after: Type.Optional(AfterPosition),
      limit: Type.Optional(pageQuery.limit),
      object: Type.Optional(oneOf(eventObjects, { description: 'Only events of records of this kind.' })),
      type: Type.Optional(oneOf(eventTypes, { description: 'Only events of this type.' })),
      record_id: Type.Optional(uuid('Only events of this record.', 'account')),
      wait: Type.Optional(WaitSeconds),
    },
    {},
  ),
  data: EventLogPage,
  errors: [410],
} as const satisfies OperationContract;

/** `GET /v1/events/latest` */
export const getLatestPosition = {
  id: 'getLatestPosition',
  gateway: 'read',
  method: 'get',
  path: '/v1/events/latest',
  group: 'list',
  tag: 'Events',
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
} as const satisfies OperationContract;

const history = {
  gateway: 'read',
  method: 'get',
  group: 'list',
  tag: 'Events',
  query: PageQuery,
  data: HistoryPage,
  errors: [404],
} as const;

/** `GET /v1/opportunities/{id}/history` */
export const listOpportunityHistory = {
  ...history,
  id: 'listOpportunityHistory',
  path: '/v1/opportunities/{id}/history',
  summary: 'List the changes of an opportunity',
  description:
    'Pages through the retained events of an opportunity, newest first, even if the opportunity was deleted.',
  params: idParams('opportunity'),
} as const satisfies OperationContract;

/** `GET /v1/accounts/{id}/history` */
export const listAccountHistory = {
  ...history,
  id: 'listAccountHistory',
  path: '/v1/accounts/{id}/history',
  summary: 'List the changes of an account',
  description: 'Pages through the retained events of an account, newest first, even if the account was deleted.',
  params: idParams('account'),
} as const satisfies OperationContract;

/** `GET /v1/contacts/{id}/history` */
export const listContactHistory = {
  ...history,
  id: 'listContactHistory',
  path: '/v1/contacts/{id}/history',
  summary: 'List the changes of a contact',
  description: 'Pages through the retained events of a contact, newest first, even if the contact was deleted.',
  params: idParams('contact'),
} as const satisfies OperationContract;
