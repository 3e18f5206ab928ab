import { eventTypes } from '@crm/domain';
import { type Static, Type } from 'typebox';
import { instant, oneOf, responseObject, text, uuid } from './build.js';
import { Event, logId } from './event.js';

const { id, log_id, position, type, object, record_id, version, occurred_at, changed, merged_into, merged_from } =
  Event.properties;

/** An event in a message with the payload `thin`: no value of a record. */
export const ThinEvent = responseObject('ThinEvent', 'A change of a record, without its values.', {
  id,
  log_id,
  position,
  type,
  object,
  record_id,
  version,
  occurred_at,
  changed,
  merged_into,
  merged_from,
});

const head = {
  type: oneOf(eventTypes, 'The type of the event.', 'account.updated'),
  timestamp: instant('When the change was made.'),
  log_id: logId,
};

/** The body of a message with the payload `full`. */
export const EventMessage = responseObject('EventMessage', 'A message with an event.', { ...head, data: Event });
export type EventMessage = Static<typeof EventMessage>;

/** The body of a message with the payload `thin`. */
export const ThinEventMessage = responseObject('ThinEventMessage', 'A message with an event, without values.', {
  ...head,
  data: ThinEvent,
});
export type ThinEventMessage = Static<typeof ThinEventMessage>;

/** The body of a test. */
export const TestMessage = responseObject('TestMessage', 'A message that tests a webhook.', {
  type: oneOf(['webhook.test'], 'Always `webhook.test`.', 'webhook.test'),
  timestamp: instant('When the test was sent.'),
  data: Type.Object({ webhook_id: uuid('Id of the webhook.', 'webhook') }, { description: 'What was tested.' }),
});
export type TestMessage = Static<typeof TestMessage>;

/** The messages that receivers of webhooks get, by their name in the document. */
export const webhookMessages = {
  event: {
    summary: 'An event',
    description: 'Posted for each event to webhooks with `"payload": "full"`.',
    body: EventMessage,
  },
  thinEvent: {
    summary: 'An event without values',
    description: 'Posted for each event to webhooks with `"payload": "thin"`. It has no value of a record.',
    body: ThinEventMessage,
  },
  test: { summary: 'A test', description: 'Posted after `POST /v1/inbound/webhooks/{id}/test`.', body: TestMessage },
} as const;

/** The headers of each message, as Standard Webhooks names them. */
export const messageHeaders = {
  'webhook-id': text('Id of the message, the same for each attempt: ignore those that you have processed.', 'msg_1'),
  'webhook-timestamp': text('When the attempt was made, in Unix seconds: refuse old ones.', '1772442000'),
  'webhook-signature': text(
    '`v1,` and the base64 HMAC-SHA256 of `<webhook-id>.<webhook-timestamp>.<body>`. During a rotation, one for each secret, ' +
      'separated by a space.',
    'v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4=',
  ),
} as const;
