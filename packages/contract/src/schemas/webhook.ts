import { eventObjects, eventTypes } from '@crm/domain';
import { type Static, Type } from 'typebox';
import { instant, nullable, oneOf, optional, uuid } from './build.js';
import { exampleIds } from './example-ids.js';
import { closed } from './input.js';
import { pageProperties } from './pagination.js';

const exampleUrl = 'https://hooks.example.com/crm';
const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD';

/** The most entries of a filter: more than there are, so that later objects and types fit. */
const filterEntries = 100;

const exampleWebhook = {
  webhook_id: exampleIds.webhook,
  url: exampleUrl,
  description: 'Billing',
  objects: ['opportunity'],
  types: [],
  payload: 'full',
  state: 'active',
  state_reason: null,
  is_failing: false,
  position: 1_042,
  last_position: 1_042,
  parked_records: 0,
  next_retry_at: null,
  replay: null,
  previous_secret_until: null,
  created_at: '2026-03-02T09:30:00.000Z',
  updated_at: '2026-03-02T09:30:00.000Z',
};

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
export const Webhook = Type.Object(
  {
    webhook_id: uuid('Id of the webhook.', 'webhook'),
    url,
    description: nullable(description),
    objects,
    types,
    payload,
    state: oneOf(['active', 'paused', 'disabled'], {
      description: '`disabled`: the worker stopped, see `state_reason`. `active` continues from `position`.',
    }),
    state_reason: nullable(Type.String({ description: 'Why the worker disabled the webhook.' })),
    is_failing: Type.Boolean({
      description: 'True while all deliveries fail. The worker then tries one event at a time.',
    }),
    position: position('All events up to this position are delivered, filtered out or parked.'),
    last_position: position('Position of the newest event of the organization.'),
    parked_records: Type.Integer({
      minimum: 0,
      description: 'How many records have an event that failed. Their later events wait for it.',
    }),
    next_retry_at: nullable(instant('When the next parked event is tried again; null if none will be.')),
    replay: nullable(
      Type.Object(
        { position: position('Last position sent.'), to: position('Last position to send.') },
        { description: 'The replay in progress; null if there is none.' },
      ),
    ),
    previous_secret_until: nullable(instant('Until when the secret before the last rotation signs too.')),
    created_at: instant('When the webhook was created.'),
    updated_at: instant('When it was last changed through the API.'),
  },
  { title: 'Webhook', description: 'A receiver of events.', examples: [exampleWebhook] },
);
export type Webhook = Static<typeof Webhook>;

const secret = Type.String({
  description: 'Signs the messages, as Standard Webhooks describes. It is shown only in this response.',
  examples: [exampleSecret],
});

/** `data` with one webhook. */
export const WebhookDetail = Type.Object(
  { webhook: Webhook },
  { title: 'WebhookDetail', description: 'A webhook.', examples: [{ webhook: exampleWebhook }] },
);

/** `data` with a webhook and its new secret. */
export const WebhookSecret = Type.Object(
  { webhook: Webhook, secret },
  {
    title: 'WebhookSecret',
    description: 'A webhook and its secret.',
    examples: [{ webhook: exampleWebhook, secret: exampleSecret }],
  },
);

/** `data` of a page of webhooks. */
export const WebhookPage = Type.Object(
  { webhooks: Type.Array(Webhook, { description: 'The webhooks of this page, sorted by id.' }), ...pageProperties },
  {
    title: 'WebhookPage',
    description: 'A page of webhooks.',
    examples: [{ webhooks: [exampleWebhook], has_more: false, next_cursor: null, limit: 100 }],
  },
);

const exampleAttempt = {
  attempt_id: exampleIds.event,
  outcome: 'failed',
  type: 'opportunity.updated',
  object: 'opportunity',
  record_id: exampleIds.opportunity,
  first_position: 1_042,
  last_position: 1_042,
  events: 1,
  attempt: 2,
  status: 500,
  error: 'answered 500',
  response: 'Internal Server Error',
  duration_ms: 34,
  occurred_at: '2026-03-02T09:30:05.000Z',
};

/** A failed attempt, or the deliveries of about a minute. */
export const WebhookAttempt = Type.Object(
  {
    attempt_id: uuid('Id of the entry.', 'event'),
    outcome: oneOf(['delivered', 'failed', 'expired'], {
      description: '`expired`: retention deleted these events before they were delivered.',
    }),
    type: nullable(Type.String({ description: 'Type of the event, or `webhook.test`.' })),
    object: nullable(Type.String({ description: 'Object of the event.' })),
    record_id: nullable(uuid('Id of the record.', 'opportunity')),
    first_position: nullable(position('Position of the first event.')),
    last_position: nullable(position('Position of the last event.')),
    events: Type.Integer({ minimum: 0, description: 'The number of events.' }),
    attempt: nullable(Type.Integer({ minimum: 1, description: 'Which try this was, from 1.' })),
    status: nullable(Type.Integer({ description: 'HTTP status of the answer; null if there was no complete answer.' })),
    error: nullable(Type.String({ description: 'Why it failed.' })),
    response: nullable(Type.String({ description: 'The beginning of the answer, at most 1 KB.' })),
    duration_ms: nullable(Type.Integer({ minimum: 0, description: 'How long the try took.' })),
    occurred_at: instant('When it happened.'),
  },
  { title: 'WebhookAttempt', description: 'A failed attempt, or deliveries.', examples: [exampleAttempt] },
);
export type WebhookAttempt = Static<typeof WebhookAttempt>;

/** `data` of a page of attempts. */
export const WebhookAttemptPage = Type.Object(
  {
    attempts: Type.Array(WebhookAttempt, { description: 'The attempts of this page, newest first.' }),
    ...pageProperties,
  },
  {
    title: 'WebhookAttemptPage',
    description: 'A page of attempts.',
    examples: [{ attempts: [exampleAttempt], has_more: false, next_cursor: null, limit: 100 }],
  },
);

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
export type UpdateWebhookBody = Static<typeof UpdateWebhookBody>;

const replayPosition = (text: string) => Type.Integer({ minimum: 1, description: text, examples: [1_000] });

/** The body that sends events again. */
export const ReplayWebhookBody = closed(
  {
    from: replayPosition('Position of the first event to send again.'),
    to: Type.Optional(replayPosition('Position of the last one; by default only `from`.')),
  },
  { title: 'ReplayWebhook', examples: [{ from: 1, to: 10 }] },
);
