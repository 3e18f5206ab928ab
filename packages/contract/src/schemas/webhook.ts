import { eventObjects, eventTypes } from '@crm/domain';
import { type Static, Type } from 'typebox';
import { instant, responseObject, nullable, oneOf, optional, uuid } from './build.js';
import { closed } from './input.js';
import { pageProperties } from './pagination.js';

const exampleUrl = 'https://hooks.example.com/crm';

/** The most entries of a filter: more than there are, so that later objects and types fit. */
const filterEntries = 100;

const url = Type.String({
  maxLength: 2_000,
  description:
    'Where events are posted: `https`, port 443 or 8443, at a public address. The operator can allow private networks, ' +
    'with any scheme and port.',
  examples: [exampleUrl],
});
const description = Type.String({ maxLength: 255, description: 'A note for people.', examples: ['Billing'] });
const objects = Type.Array(oneOf(eventObjects, {}), {
  maxItems: filterEntries,
  description: 'Only events of these objects; empty for all.',
  examples: [['opportunity']],
});
const types = Type.Array(oneOf(eventTypes, {}), {
  maxItems: filterEntries,
  description: 'Only events of these types; empty for all.',
  examples: [['opportunity.updated']],
});
const payload = oneOf(['full', 'thin'], {
  description: '`full`: the event as in `GET /v1/events`. `thin`: only which record changed, without its values.',
  examples: ['full'],
});
const position = (text: string) => Type.Integer({ minimum: 0, description: text, examples: [1_042] });

/** A receiver of webhooks. */
export const Webhook = responseObject('Webhook', 'A receiver of events.', {
  webhook_id: uuid('Id of the webhook.', 'webhook'),
  url,
  description: nullable(description),
  objects,
  types,
  payload,
  state: oneOf(['active', 'paused', 'disabled'], {
    description: '`disabled`: the worker stopped, see `state_reason`. `active` continues from `position`.',
    examples: ['active'],
  }),
  state_reason: nullable(Type.String({ description: 'Why the worker disabled the webhook.' })),
  is_failing: Type.Boolean({
    description: 'True while all deliveries fail. The worker then tries one event at a time.',
    examples: [false],
  }),
  position: position('All events up to this position are delivered, filtered out or parked.'),
  last_position: position('Position of the newest event of the organization.'),
  parked_records: Type.Integer({
    minimum: 0,
    description: 'How many records have an event that failed. Their later events wait for it.',
    examples: [0],
  }),
  next_retry_at: nullable(instant('When the next parked event is tried again; null if none will be.', null)),
  replay: nullable(
    Type.Object(
      { position: position('Last position sent.'), to: position('Last position to send.') },
      { description: 'The replay in progress; null if there is none.', examples: [null] },
    ),
  ),
  previous_secret_until: nullable(instant('Until when the secret before the last rotation signs too.', null)),
  created_at: instant('When the webhook was created.'),
  updated_at: instant('When it was last changed through the API.'),
});
export type Webhook = Static<typeof Webhook>;

const secret = Type.String({
  description: 'Signs the messages, as Standard Webhooks describes. It is shown only in this response.',
  examples: ['whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'],
});

/** `data` with one webhook. */
export const WebhookDetail = responseObject('WebhookDetail', 'A webhook.', { webhook: Webhook });

/** `data` with a webhook and its new secret. */
export const WebhookSecret = responseObject('WebhookSecret', 'A webhook and its secret.', { webhook: Webhook, secret });

/** `data` of a page of webhooks. */
export const WebhookPage = responseObject('WebhookPage', 'A page of webhooks.', {
  webhooks: Type.Array(Webhook, { description: 'The webhooks of this page, sorted by id.' }),
  ...pageProperties,
});

/** A failed attempt, or the deliveries of about a minute. */
export const WebhookAttempt = responseObject('WebhookAttempt', 'A failed attempt, or deliveries.', {
  attempt_id: uuid('Id of the entry.', 'event'),
  outcome: oneOf(['delivered', 'failed', 'expired'], {
    description: '`expired`: retention deleted these events before they were delivered.',
    examples: ['failed'],
  }),
  type: nullable(
    Type.String({ description: 'Type of the event, or `webhook.test`.', examples: ['opportunity.updated'] }),
  ),
  object: nullable(Type.String({ description: 'Object of the event.', examples: ['opportunity'] })),
  record_id: nullable(uuid('Id of the record.', 'opportunity')),
  first_position: nullable(position('Position of the first event.')),
  last_position: nullable(position('Position of the last event.')),
  events: Type.Integer({ minimum: 0, description: 'The number of events.', examples: [1] }),
  attempt: nullable(Type.Integer({ minimum: 1, description: 'Which try this was, from 1.', examples: [2] })),
  status: nullable(
    Type.Integer({ description: 'HTTP status of the answer; null if there was no complete answer.', examples: [500] }),
  ),
  error: nullable(Type.String({ description: 'Why it failed.', examples: ['answered 500'] })),
  response: nullable(
    Type.String({ description: 'The beginning of the answer, at most 1 KB.', examples: ['Internal Server Error'] }),
  ),
  duration_ms: nullable(Type.Integer({ minimum: 0, description: 'How long the try took.', examples: [34] })),
  occurred_at: instant('When it happened.'),
});
export type WebhookAttempt = Static<typeof WebhookAttempt>;

/** `data` of a page of attempts. */
export const WebhookAttemptPage = responseObject('WebhookAttemptPage', 'A page of attempts.', {
  attempts: Type.Array(WebhookAttempt, { description: 'The attempts of this page, newest first.' }),
  ...pageProperties,
});

const changes = {
  description: optional(description),
  objects: Type.Optional(objects),
  types: Type.Optional(types),
  payload: Type.Optional(payload),
};

/** The body that creates a webhook. */
export const CreateWebhookBody = closed(
  { url, ...changes },
  { title: 'CreateWebhook', examples: [{ url: exampleUrl, objects: ['opportunity'] }] },
);
export type CreateWebhookBody = Static<typeof CreateWebhookBody>;

/** The body that changes a webhook. */
export const UpdateWebhookBody = closed(
  {
    url: Type.Optional(url),
    ...changes,
    state: Type.Optional(oneOf(['active', 'paused'], { description: '`active` also continues a disabled webhook.' })),
  },
  { title: 'UpdateWebhook', examples: [{ state: 'paused' }] },
);

const replayPosition = (text: string) => Type.Integer({ minimum: 1, description: text, examples: [1_000] });

/** The body that sends events again. */
export const ReplayWebhookBody = closed(
  {
    from: replayPosition('Position of the first event to send again.'),
    to: Type.Optional(replayPosition('Position of the last one; by default only `from`.')),
  },
  { title: 'ReplayWebhook', examples: [{ from: 1, to: 10 }] },
);
