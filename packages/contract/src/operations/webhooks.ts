import { operation } from '../operation.js';
import { Deleted } from '../schemas/deleted.js';
import {
  CreateWebhookBody,
  ParkedRecordPage,
  ReplayWebhookBody,
  SkippedEvents,
  SkipWebhookBody,
  UpdateWebhookBody,
  WebhookAttemptPage,
  WebhookDetail,
  WebhookPage,
  WebhookSecret,
} from '../schemas/webhook.js';
import { idParams, PageQuery, writeHeaders } from './shared.js';

const ofWebhook = { params: idParams('webhook'), errors: [404] };
const writeOf = { ...ofWebhook, headers: writeHeaders };

/** `GET /v1/webhooks` */
export const listWebhooks = operation(['listWebhooks', 'GET /v1/webhooks', 'webhooks', 'Webhooks'], {
  summary: 'List webhooks',
  description: 'Pages through the receivers of events, sorted by id, with the state of their deliveries.',
  query: PageQuery,
  data: WebhookPage,
});

/** `GET /v1/webhooks/{id}` */
export const getWebhook = operation(['getWebhook', 'GET /v1/webhooks/{id}', 'webhooks', 'Webhooks'], {
  ...ofWebhook,
  summary: 'Get a webhook',
  description: 'Returns a webhook with the state of its deliveries.',
  data: WebhookDetail,
});

/** `GET /v1/webhooks/{id}/attempts` */
export const listWebhookAttempts = operation(
  ['listWebhookAttempts', 'GET /v1/webhooks/{id}/attempts', 'webhooks', 'Webhooks'],
  {
    ...ofWebhook,
    summary: 'List the attempts of a webhook',
    description:
      'Pages through what the worker did in the last seven days, newest first: each failed attempt, and deliveries by the minute.',
    query: PageQuery,
    data: WebhookAttemptPage,
  },
);

/** `GET /v1/webhooks/{id}/parked` */
export const listParkedRecords = operation(
  ['listParkedRecords', 'GET /v1/webhooks/{id}/parked', 'webhooks', 'Webhooks'],
  {
    ...ofWebhook,
    summary: 'List the parked records of a webhook',
    description:
      'Pages through the records with an event that was not delivered, sorted by position. `skip` gives such events up.',
    query: PageQuery,
    data: ParkedRecordPage,
  },
);

/** `POST /v1/inbound/webhooks` */
export const createWebhook = operation(['createWebhook', 'POST /v1/inbound/webhooks', 'webhooks', 'Webhooks'], {
  summary: 'Create a webhook',
  description:
    'Adds a receiver, which gets the events after now. The response has its secret, which is not shown again.',
  body: CreateWebhookBody,
  data: WebhookSecret,
  headers: writeHeaders,
});

/** `PATCH /v1/inbound/webhooks/{id}` */
export const updateWebhook = operation(['updateWebhook', 'PATCH /v1/inbound/webhooks/{id}', 'webhooks', 'Webhooks'], {
  ...writeOf,
  summary: 'Update a webhook',
  description:
    'Changes, pauses or continues a webhook. A paused or disabled one continues from its position, and its parked events are due.',
  body: UpdateWebhookBody,
  data: WebhookDetail,
});

/** `DELETE /v1/inbound/webhooks/{id}` */
export const deleteWebhook = operation(['deleteWebhook', 'DELETE /v1/inbound/webhooks/{id}', 'webhooks', 'Webhooks'], {
  ...writeOf,
  summary: 'Delete a webhook',
  description: 'Deletes a webhook with its attempts. Its events stay in the change log.',
  data: Deleted,
});

/** `POST /v1/inbound/webhooks/{id}/test` */
export const testWebhook = operation(['testWebhook', 'POST /v1/inbound/webhooks/{id}/test', 'webhooks', 'Webhooks'], {
  ...writeOf,
  summary: 'Test a webhook',
  description: 'Asks the worker to send `webhook.test` within about a second. The attempts show the result.',
  data: WebhookDetail,
});

/** `POST /v1/inbound/webhooks/{id}/replay` */
export const replayWebhook = operation(
  ['replayWebhook', 'POST /v1/inbound/webhooks/{id}/replay', 'webhooks', 'Webhooks'],
  {
    ...writeOf,
    summary: 'Send events again',
    description:
      'Sends retained events again that pass the filters, with the same `webhook-id`. Parked events of the range are tried at once.',
    body: ReplayWebhookBody,
    data: WebhookDetail,
    errors: [404, 409],
  },
);

/** `POST /v1/inbound/webhooks/{id}/skip` */
export const skipWebhookEvents = operation(
  ['skipWebhookEvents', 'POST /v1/inbound/webhooks/{id}/skip', 'webhooks', 'Webhooks'],
  {
    ...writeOf,
    summary: 'Give up events',
    description:
      'Gives up events that were not delivered: one, a range, or the failed event of each parked record. Later events of the ' +
      'records follow. Attempts with the outcome `skipped` have the positions. Events of the range that wait for an earlier ' +
      'event, before the range, are not given up.',
    body: SkipWebhookBody,
    data: SkippedEvents,
  },
);

/** `POST /v1/inbound/webhooks/{id}/rotate-secret` */
export const rotateWebhookSecret = operation(
  ['rotateWebhookSecret', 'POST /v1/inbound/webhooks/{id}/rotate-secret', 'webhooks', 'Webhooks'],
  {
    ...writeOf,
    summary: 'Rotate the secret',
    description: 'Creates a new secret. For a day, messages are signed with the new and the old one.',
    data: WebhookSecret,
  },
);
