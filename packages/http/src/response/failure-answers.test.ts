import { Failure, type FailureReason } from '@crm/domain';
import { expect, test } from '@jest/globals';
import { errorBody, toApiError } from './errors.js';

const id = '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4';

test.each<[FailureReason, number, object]>([
  [{ kind: 'not_found' }, 404, { message: 'Not found' }],
  [{ kind: 'precondition_failed' }, 412, { message: 'The record has changed since the version in If-Match' }],
  [
    { kind: 'key_taken', object: 'contact', field: 'email', existingId: id },
    409,
    { code: 'conflict', message: 'Conflict with an existing record', conflict: { field: 'email', existing_id: id } },
  ],
  [
    { kind: 'key_taken', object: 'opportunity', field: 'primary_email', existingId: id },
    409,
    { conflict: { field: 'related_objects.primary_contact_email', existing_id: id } },
  ],
  [
    { kind: 'two_records', object: 'opportunity', existingId: id, otherId: id },
    409,
    { conflict: { field: 'opportunity.external_id', existing_id: id, other_id: id } },
  ],
  [
    { kind: 'external_id_unknown', object: 'contact' },
    400,
    { errors: { email: 'is required: no contact has this external_id' } },
  ],
  [
    { kind: 'item_raced' },
    409,
    { message: 'Another item or call has changed the keys of the record: send the item again in a new call' },
  ],
  [
    { kind: 'deleted_again', lastPosition: 7 },
    409,
    { message: 'The record was deleted again later: restore the deletion at position 7' },
  ],
  [
    { kind: 'account_in_use', contacts: 2, opportunities: 1 },
    409,
    { message: 'The account still has contacts or opportunities', counts: { contacts: 2, opportunities: 1 } },
  ],
  [
    { kind: 'key_taken', object: 'stage', field: 'label', existingId: id },
    409,
    { message: 'Conflict with an existing record', conflict: { field: 'label', existing_id: id } },
  ],
  [
    { kind: 'setup_in_use', object: 'stage', opportunities: 3 },
    409,
    { message: 'The stage still has opportunities', counts: { opportunities: 3 } },
  ],
  [{ kind: 'last_stage' }, 409, { message: 'A pipeline needs at least one stage that is not archived' }],
  [{ kind: 'default_stage_archived' }, 400, { errors: { is_default: 'must not be true for an archived stage' } }],
  [{ kind: 'setup_changed' }, 409, { message: 'The field was changed meanwhile, please retry' }],
  [
    { kind: 'too_many_contacts', limit: 100 },
    400,
    {
      errors: {
        'related_objects.additional_contact_emails': 'must not give the opportunity more than 100 additional contacts',
      },
    },
  ],
  [
    { kind: 'unknown_opportunities', places: [0, 2] },
    400,
    {
      errors: {
        'related_objects.opportunity_ids[0]': 'is not an opportunity of this organization',
        'related_objects.opportunity_ids[2]': 'is not an opportunity of this organization',
      },
    },
  ],
  [
    { kind: 'empty_note' },
    400,
    {
      errors: {
        'note.title': 'is required: send a title, a content or both',
        'note.content': 'is required: send a title, a content or both',
      },
    },
  ],
  [{ kind: 'idempotency_mismatch' }, 422, { message: 'This Idempotency-Key was used with another request' }],
  [
    { kind: 'idempotency_in_flight' },
    409,
    { code: 'idempotency_in_flight', message: 'A request with this Idempotency-Key is in flight' },
  ],
  [{ kind: 'timeout' }, 503, { code: 'timeout', message: 'The database did not answer in time' }],
  [
    { kind: 'unavailable' },
    503,
    { code: 'unavailable', message: 'The service is temporarily unavailable, please retry' },
  ],
])('%j gets %d', (reason, status, body) => {
  const error = toApiError(new Failure(reason, { message: 'for the log' }));
  expect(error.status).toBe(status);
  expect(JSON.parse(errorBody(error.code, error.message, error.errors, error.extra))).toMatchObject({
    statusCode: status,
    ...body,
  });
});

test.each<[FailureReason['kind'], string | undefined]>([
  ['idempotency_in_flight', '1'],
  ['unavailable', '1'],
  // A retry would time out again.
  ['timeout', undefined],
])('%s: Retry-After is %p', (kind, seconds) => {
  expect(toApiError(new Failure({ kind } as FailureReason)).headers?.['Retry-After']).toBe(seconds);
});
