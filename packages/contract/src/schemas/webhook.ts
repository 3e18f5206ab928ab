import { eventObjects, eventTypes, maxChangedNames, maxNameLength } from '@crm/domain';
import { type Static, Type } from 'typebox';
import {
  flag,
  having,
  instant,
  integer,
  listOf,
  nullable,
  oneOf,
  optional,
  responseObject,
  text,
  uuid,
} from './build.js';
import { closed } from './input.js';
import { pageOf } from './pagination.js';

const exampleUrl = 'https://hooks.example.com/crm';

/** The most entries of a filter: more than there are, so that later objects and types fit. */
const filterEntries = 100;

const url = text(
  'Where events are posted: `https`, port 443 or 8443, at a public address. The operator can allow private networks, ' +
    'with any scheme and port.',
  exampleUrl,
  // Without scheme rules of an installation: one that calls private networks takes http too.
  { maxLength: 2_000, 'x-rules': { minLength: 8, pattern: '^[^!-~]*[Hh][Tt][Tt][Pp][Ss]?:[\\s\\S]+$' } },
);
const description = text('A note for people.', 'Billing', { maxLength: 255 });
const objects = listOf(
  oneOf(eventObjects, undefined, undefined, { title: 'EventObject' }),
  'Only events of these objects; empty for all.',
  ['opportunity'],
  {
    maxItems: filterEntries,
  },
);
const types = listOf(
  oneOf(eventTypes, undefined, undefined, { title: 'EventType' }),
  'Only events of these types; empty for all.',
  ['opportunity.updated'],
  {
    maxItems: filterEntries,
  },
);
const changedDescription =
  'Of the `updated` events, only those that changed one of these fields; empty for all. All other events pass.';
const changedExample = ['stage_id', 'amount'];
const changedNames = { maxItems: maxChangedNames };
const payload = oneOf(
  ['full', 'thin'],
  '`full`: the event as in `GET /v1/events`. `thin`: only which record and which fields changed, without any value.',
  'full',
  { title: 'WebhookPayload' },
);
const position = (about: string) => integer(about, 1_042, { minimum: 0 });

/** A receiver of webhooks. */
export const Webhook = responseObject('Webhook', 'A receiver of events.', {
  webhook_id: uuid('Id of the webhook.', 'webhook'),
  url,
  description: nullable(description),
  objects,
  types,
  changed: listOf(Type.String(), changedDescription, changedExample, changedNames),
  payload,
  state: oneOf(
    ['active', 'paused', 'disabled'],
    '`disabled`: the worker stopped, see `state_reason`. `active` continues from `position`.',
    'active',
  ),
  state_reason: nullable(text('Why the worker disabled the webhook.')),
  is_failing: flag(
    'True after the first tries of five records failed and none succeeded since. The worker then sends one new record at a time.',
    false,
  ),
  position: position('All events up to this position are delivered, filtered out or parked.'),
  last_position: position('Position of the newest event of the organization.'),
  parked_records: integer('How many records have an event that was not delivered. Their later events wait for it.', 0, {
    minimum: 0,
  }),
  next_retry_at: nullable(
    instant('When the worker tries again, if it waits: for a retry, or because the receiver asked; else null.', null),
  ),
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

const secret = text(
  'Signs the messages, as Standard Webhooks describes. It is shown only in this response.',
  'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD',
);

/** `data` with one webhook. */
export const WebhookDetail = responseObject('WebhookDetail', 'A webhook.', { webhook: Webhook });

/** `data` with a webhook and its new secret. */
export const WebhookSecret = responseObject('WebhookSecret', 'A webhook and its secret.', { webhook: Webhook, secret });

/** `data` of a page of webhooks. */
export const WebhookPage = pageOf('WebhookPage', 'A page of webhooks.', {
  webhooks: listOf(Webhook, 'The webhooks of this page, sorted by id.'),
});

/** A failed attempt, or the deliveries of about a minute. */
export const WebhookAttempt = responseObject('WebhookAttempt', 'A failed attempt, or deliveries.', {
  attempt_id: uuid('Id of the entry.', 'event'),
  outcome: oneOf(
    ['delivered', 'failed', 'deferred', 'expired', 'skipped'],
    '`deferred`: the receiver asked to wait, which charges no try. `expired`: retention deleted these events before they were ' +
      'delivered; for a record, at least one. `skipped`: a caller gave them up.',
    'failed',
  ),
  type: nullable(text('Type of the event, or `webhook.test`.', 'opportunity.updated')),
  object: nullable(text('Object of the event.', 'opportunity')),
  record_id: nullable(uuid('Id of the record.', 'opportunity')),
  first_position: nullable(position('Position of the first event.')),
  last_position: nullable(position('Position of the last event.')),
  events: integer('The number of events.', 1, { minimum: 0 }),
  attempt: nullable(integer('Which try this was, from 1.', 2, { minimum: 1 })),
  status: nullable(
    integer('HTTP status of the answer; null if none arrived. With an incomplete body, the attempt failed.', 500),
  ),
  error: nullable(text('Why it failed.', 'answered 500')),
  response: nullable(text('The beginning of the answer, at most 1 KB.', 'Internal Server Error')),
  duration_ms: nullable(integer('How long the try took.', 34, { minimum: 0 })),
  occurred_at: instant('When it happened.'),
});
export type WebhookAttempt = Static<typeof WebhookAttempt>;

/** `data` of a page of attempts. */
export const WebhookAttemptPage = pageOf('WebhookAttemptPage', 'A page of attempts.', {
  attempts: listOf(WebhookAttempt, 'The attempts of this page, newest first.'),
});

/** A record whose events wait. */
export const ParkedRecord = responseObject('ParkedRecord', 'A record whose events wait.', {
  object: text('Object of the record.', 'opportunity'),
  record_id: uuid('Id of the record.', 'opportunity'),
  position: position('Position of the first event that was not delivered.'),
  attempts: integer('How many times it was tried.', 2, { minimum: 0 }),
  next_retry_at: nullable(instant('When it is tried again; null after the last try.', null)),
  error: nullable(text('Why the last try failed.', 'answered 500')),
});
export type ParkedRecord = Static<typeof ParkedRecord>;

/** `data` of a page of parked records. */
export const ParkedRecordPage = pageOf('ParkedRecordPage', 'A page of parked records.', {
  parked: listOf(ParkedRecord, 'The parked records of this page, sorted by position.'),
});

/** `data` with a webhook and how many events were given up. */
export const SkippedEvents = responseObject('SkippedEvents', 'A webhook and how many of its events were given up.', {
  webhook: Webhook,
  skipped_events: integer('How many events were given up.', 1, { minimum: 0 }),
});

const changed = listOf(
  Type.String({ maxLength: maxNameLength }),
  `${changedDescription} Names as in \`changed\` of events, or slugs or \`custom__<slug>\` of custom fields.`,
  changedExample,
  changedNames,
);

/** The body that creates a webhook. */
export const CreateWebhookBody = closed(
  {
    url,
    description: optional(description),
    objects: optional(objects),
    types: optional(types),
    changed: optional(changed),
    payload: optional(payload),
  },
  { title: 'CreateWebhook', examples: [{ url: exampleUrl, objects: ['opportunity'] }] },
);
export type CreateWebhookBody = Static<typeof CreateWebhookBody>;

/** The body that changes a webhook. */
export const UpdateWebhookBody = closed(
  {
    url: Type.Optional(url),
    description: optional(description),
    objects: Type.Optional(objects),
    types: Type.Optional(types),
    changed: Type.Optional(changed),
    payload: Type.Optional(payload),
    state: Type.Optional(
      oneOf(['active', 'paused'], '`active` also continues a disabled webhook.', undefined, { title: 'WebhookState' }),
    ),
  },
  { title: 'UpdateWebhook', examples: [{ state: 'paused' }] },
);

const replayPosition = (about: string, example: number) => integer(about, example, { minimum: 1 });

/** The body that sends events again. */
export const ReplayWebhookBody = closed(
  {
    from: replayPosition('Position of the first event to send again.', 1),
    to: Type.Optional(replayPosition('Position of the last one; by default only `from`.', 10)),
  },
  { title: 'ReplayWebhook', examples: [{ from: 1, to: 10 }] },
);

const skipPosition = (about: string, example: number) => Type.Optional(replayPosition(about, example));

/** The body that gives up events. */
export const SkipWebhookBody = closed(
  {
    from: skipPosition('Position of the first event to give up.', 1),
    to: skipPosition(
      'Position of the last one; by default only `from`. It may be beyond `position`, which then moves.',
      10,
    ),
    parked: Type.Optional(
      flag('True instead of positions: gives up the event that failed of each parked record.', true),
    ),
  },
  {
    title: 'SkipWebhook',
    examples: [{ parked: true }],
    'x-rules': {
      if: having({ parked: { const: true } }),
      then: { maxProperties: 1 },
      else: having({ from: {} }),
    },
  },
);
export type SkipWebhookBody = Static<typeof SkipWebhookBody>;
