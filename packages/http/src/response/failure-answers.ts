import {
  ApiError,
  type ApiErrorDetails,
  bodyPathOf,
  type ErrorCode,
  type Failure,
  type FailureReason,
  type FieldErrors,
  type ObjectType,
  type setupLimits,
} from '@crm/domain';

const retry = { headers: { 'Retry-After': '1' } };

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

const recordNouns: Readonly<Record<ObjectType, string>> = {
  account: 'accounts',
  contact: 'contacts',
  opportunity: 'opportunities',
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

type SetupReason = Extract<
  FailureReason,
  {
    kind:
      | 'setup_in_use'
      | 'field_in_use'
      | 'last_stage'
      | 'setup_too_large'
      | 'setup_changed'
      | `${'pipeline' | 'stage' | 'default_stage'}_archived`;
  }
>;

const setupAnswerTo = (reason: SetupReason): Answer => {
  switch (reason.kind) {
    case 'setup_in_use': {
      const { object, opportunities } = reason;
      return conflict(`The ${object} still has opportunities`, { counts: { opportunities } });
    }
    case 'field_in_use':
      return conflict('The field still has values', { counts: { [recordNouns[reason.object]]: reason.records } });
    case 'last_stage':
      return conflict('A pipeline needs at least one stage that is not archived');
    case 'pipeline_archived':
      return reason.isRestored
        ? conflict('The pipeline of the opportunity is archived: make it active first')
        : invalid({ pipeline_id: 'is archived' });
    case 'stage_archived':
      return conflict('The stage was archived meanwhile: send another one');
    case 'default_stage_archived':
      return invalid({ is_default: 'must not be true for an archived stage' });
    case 'setup_too_large':
      return invalid({ body: setupLimitTexts[reason.what](reason.limit) });
    case 'setup_changed':
      return conflict('The field was changed meanwhile, please retry');
  }
};

/** The code and details of the response to a failure. Default texts are in `errorCatalogue`. */
const answerTo = (reason: FailureReason): Answer => {
  switch (reason.kind) {
    case 'key_taken': {
      const field = reason.object === 'opportunity' ? bodyPathOf('opportunity', reason.field) : reason.field;
      return ['conflict', { extra: { conflict: { field, existing_id: reason.existingId } } }];
    }
    case 'two_records': {
      const { object, existingId, otherId } = reason;
      const field = object === 'opportunity' ? bodyPathOf('opportunity', 'external_id') : 'external_id';
      const message = `The external_id and the natural key belong to two records of the kind ${object}`;
      return conflict(message, { conflict: { field, existing_id: existingId, other_id: otherId } });
    }
    case 'external_id_unknown':
      return invalid({ [naturalKeyPaths[reason.object]]: `is required: no ${reason.object} has this external_id` });
    case 'account_in_use': {
      const { contacts, opportunities } = reason;
      return conflict('The account still has contacts or opportunities', { counts: { contacts, opportunities } });
    }
    case 'setup_in_use':
    case 'field_in_use':
    case 'last_stage':
    case 'pipeline_archived':
    case 'stage_archived':
    case 'default_stage_archived':
    case 'setup_too_large':
    case 'setup_changed':
      return setupAnswerTo(reason);
    case 'too_many_contacts': {
      const text = `must not give the opportunity more than ${reason.limit} additional contacts`;
      return invalid({ [bodyPathOf('opportunity', 'additional_emails')]: text });
    }
    case 'too_many_webhooks':
      return invalid({ body: `must leave at most ${reason.limit} webhooks` });
    case 'unknown_opportunities': {
      const text = 'is not an opportunity of this organization';
      const errors = reason.places.map((place) => [`related_objects.opportunity_ids[${place}]`, text]);
      return invalid(Object.fromEntries(errors) as Record<string, string>);
    }
    case 'empty_note': {
      const text = 'is required: send a title, a content or both';
      return invalid({ 'note.title': text, 'note.content': text });
    }
    case 'position_ahead':
      return invalid({ after: `is beyond the last position, ${reason.lastPosition}` });
    case 'deleted_again':
      return conflict(`The record was deleted again later: restore the deletion at position ${reason.lastPosition}`);
    case 'events_expired':
      return [reason.kind, { extra: { oldest_position: reason.oldestPosition } }];
    case 'merge_source_not_found':
      return invalid({ from: 'does not exist' });
    case 'opportunities_collide': {
      const { count, conflicts } = reason;
      const text = `${count} opportunities would have the pipeline, account and name of another one`;
      return conflict(`${text}; send "deals": "merge" to merge them too`, { conflicts });
    }
    case 'merge_too_large':
      return conflict(mergeLimitTexts[reason.object](reason.limit));
    case 'idempotency_in_flight':
      return [reason.kind, retry];
    case 'deletion_unfinished':
      return ['unavailable', { message: 'The deletion has begun: send the request again to continue', ...retry }];
    case 'unavailable':
      return ['unavailable', retry];
    default:
      return [reason.kind];
  }
};

/** The public error for a failure of a layer below HTTP. */
export const apiErrorOf = (failure: Failure): ApiError => {
  const [code, details] = answerTo(failure.reason);
  return new ApiError(code, { ...details, cause: failure });
};
