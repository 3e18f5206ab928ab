import {
  ApiError,
  type ApiErrorDetails,
  bodyPathOf,
  type ErrorCode,
  type Failure,
  type FailureReason,
  type FieldErrors,
  objects,
  type ObjectType,
  type setupLimits,
} from '@crm/domain';

const mergeLimitTexts: Readonly<
  Record<Extract<FailureReason, { kind: 'merge_too_large' }>['object'], (limit: number) => string>
> = {
  opportunities: (limit) => `One merge changes at most ${limit} opportunities: delete or move some first`,
  merged_opportunities: (limit) =>
    `One merge merges at most ${limit} pairs of opportunities with the same pipeline and name: rename or delete some first`,
  contacts: (limit) => `One merge moves at most ${limit} contacts: delete or move some first`,
  notes: (limit) => `One merge moves at most ${limit} notes: delete some first`,
  bytes: (limit) =>
    `One merge changes records with at most ${limit / 1024 / 1024} MB of values: delete or move some first`,
  additional_contacts: (limit) =>
    `A merged opportunity would have more than ${limit} additional contacts: remove some first`,
};

/** The field that a new record of a kind requires. */
const naturalKeyPaths: Readonly<Record<ObjectType, string>> = {
  account: 'domain',
  contact: 'email',
  opportunity: bodyPathOf('opportunity', 'name'),
};

const setupLimitTexts: Readonly<Record<keyof typeof setupLimits, (limit: number) => string>> = {
  fields: (limit) => `must leave at most ${limit} custom fields, including archived ones`,
  pipelines: (limit) => `must leave at most ${limit} pipelines`,
  stages: (limit) => `must leave at most ${limit} stages in a pipeline`,
  members: (limit) => `must leave at most ${limit} members`,
  bytes: (limit) => `must leave at most ${limit / 1024} KB of names, labels and options in the setup`,
};

type Answer = readonly [ErrorCode, ApiErrorDetails?];

const conflict = (message: string, extra?: ApiErrorDetails['extra']): Answer => [
  'conflict',
  { message, ...(extra !== undefined && { extra }) },
];
const invalid = (errors: FieldErrors): Answer => ['validation_failed', { errors }];

/** Only in bulk calls, whose results name the item in place of the id. */
const itemOf = (index: number | undefined, key: string): object => (index === undefined ? {} : { [key]: index });

type Kind = FailureReason['kind'];
type AnswerTo<Of extends Kind> = (reason: Extract<FailureReason, { kind: Of }>) => Answer;

/** The response to each kind of failure. A kind that is also an error code needs none: it has the text of the catalogue. */
const answers: { readonly [Of in Exclude<Kind, ErrorCode>]: AnswerTo<Of> } & {
  readonly [Of in Extract<Kind, ErrorCode>]?: AnswerTo<Of>;
} = {
  key_taken: ({ object, field: name, existingId, externalId, existingItem }) => {
    const field = object === 'opportunity' ? bodyPathOf('opportunity', name) : name;
    const details = { field, existing_id: existingId, ...itemOf(existingItem, 'existing_item') };
    if (externalId === undefined) return ['conflict', { extra: { conflict: details } }];
    const message = `The record with this natural key has another external_id: "${externalId}"`;
    return conflict(message, { conflict: { ...details, external_id: externalId } });
  },
  two_records: ({ object, existingId, otherId, existingItem, otherItem }) => {
    const field = object === 'opportunity' ? bodyPathOf('opportunity', 'external_id') : 'external_id';
    const message = `The external_id and the natural key belong to two records of the kind ${object}`;
    const items = { ...itemOf(existingItem, 'existing_item'), ...itemOf(otherItem, 'other_item') };
    return conflict(message, { conflict: { field, existing_id: existingId, other_id: otherId, ...items } });
  },
  external_id_unknown: ({ object }) =>
    invalid({ [naturalKeyPaths[object]]: `is required: no ${object} has this external_id` }),
  account_in_use: ({ contacts, opportunities }) =>
    conflict('The account still has contacts or opportunities', { counts: { contacts, opportunities } }),
  setup_in_use: ({ object, opportunities, moved }) =>
    moved === undefined
      ? conflict(`The ${object} still has opportunities`, { counts: { opportunities } })
      : conflict(`The ${object} still has opportunities: send the request again to move the rest`, {
          counts: { opportunities, moved },
        }),
  field_in_use: ({ object, records, isDeletion }) =>
    conflict(
      isDeletion
        ? 'The field still has values'
        : 'The field has values in another currency: with "reinterpret_values": true, the numbers stay and become amounts in the new one',
      { counts: { [objects[object].many]: records } },
    ),
  last_stage: () => conflict('A pipeline needs at least one stage that is not archived'),
  pipeline_archived: ({ isRestored, isNamed = false }) =>
    isRestored
      ? conflict('The pipeline of the opportunity is archived: make it active first')
      : invalid({ [isNamed ? 'pipeline' : 'pipeline_id']: 'is archived' }),
  stage_archived: () => conflict('The stage was archived meanwhile: send another one'),
  default_stage_archived: () => invalid({ is_default: 'must not be true for an archived stage' }),
  setup_too_large: ({ what, limit }) => invalid({ body: setupLimitTexts[what](limit) }),
  setup_changed: () => conflict('The field was changed meanwhile, please retry'),
  links_refused: ({ links }) =>
    invalid(
      Object.fromEntries(
        links.map(({ path, object, key, found }) => [
          path,
          found === null
            ? `is not the external_id of ${objects[object].a}: create it first`
            : `names the ${object} "${found}", but the request also names "${key}": send one of them, or both of one record`,
        ]),
      ),
    ),
  not_stored: ({ errors }) => invalid(errors),
  too_many_contacts: ({ limit }) =>
    invalid({
      [bodyPathOf('opportunity', 'additional_emails')]:
        `must not give the opportunity more than ${limit} additional contacts`,
    }),
  too_many_webhooks: ({ limit }) => invalid({ body: `must leave at most ${limit} webhooks` }),
  unknown_opportunities: ({ places }) => {
    const text = 'is not an opportunity of this organization';
    const errors = places.map((place) => [`related_objects.opportunity_ids[${place}]`, text]);
    return invalid(Object.fromEntries(errors) as Record<string, string>);
  },
  note_deleted: () => conflict('A note with this id was deleted: send another id, or none'),
  empty_note: () => {
    const text = 'is required: send a title, a content or both';
    return invalid({ 'note.title': text, 'note.content': text });
  },
  position_ahead: ({ lastPosition }) => invalid({ after: `is beyond the last position, ${lastPosition}` }),
  deleted_again: ({ lastPosition }) =>
    conflict(`The record was deleted again later: restore the deletion at position ${lastPosition}`),
  log_changed: ({ kind, logId }) => [kind, { extra: { log_id: logId } }],
  events_expired: ({ kind, oldestPosition }) => [kind, { extra: { oldest_position: oldestPosition } }],
  merge_source_not_found: () => invalid({ from: 'does not exist' }),
  opportunities_collide: ({ count, conflicts }) => {
    const text = `${count} opportunities would have the pipeline, account and name of another one`;
    return conflict(`${text}; send "deals": "merge" to merge them too`, { conflicts });
  },
  merge_too_large: ({ object, limit }) => conflict(mergeLimitTexts[object](limit)),
  deletion_unfinished: () => ['unavailable', { message: 'The deletion has begun: send the request again to continue' }],
};

/** The code and details of the response to a failure. */
const answerTo = (reason: FailureReason): Answer => {
  const answer = answers[reason.kind] as ((reason: FailureReason) => Answer) | undefined;
  return answer?.(reason) ?? [reason.kind as ErrorCode];
};

/** The public error for a failure of a layer below HTTP. */
export const apiErrorOf = (failure: Failure): ApiError => {
  const [code, details] = answerTo(failure.reason);
  return new ApiError(code, { ...details, cause: failure });
};
