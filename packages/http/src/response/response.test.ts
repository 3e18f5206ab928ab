import { Failure, type FailureReason } from '@crm/domain';
import { expect, test } from '@jest/globals';
import type { JsonPart } from '../operation.js';
import { errorBody, toApiError } from './errors.js';
import { jsonBytes } from './json-bytes.js';

const bytes = (text: string): Buffer => Buffer.from(text);
const id = '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4';

test.each<[FailureReason, number, object]>([
  [{ kind: 'not_found' }, 404, { message: 'Not found' }],
  [{ kind: 'precondition_failed' }, 412, { code: 'precondition_failed' }],
  [{ kind: 'idempotency_mismatch' }, 422, { code: 'idempotency_mismatch' }],
  [{ kind: 'item_raced' }, 409, { code: 'conflict' }],
  [{ kind: 'setup_changed' }, 409, { message: 'The field was changed meanwhile, please retry' }],
  [{ kind: 'empty_note' }, 400, { errors: { 'note.content': 'is required: send a title, a content or both' } }],
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
    { kind: 'setup_in_use', object: 'stage', opportunities: 3 },
    409,
    { message: 'The stage still has opportunities', counts: { opportunities: 3 } },
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
])('%j gets %d', (reason, status, body) => {
  const error = toApiError(new Failure(reason, { message: 'for the log' }));
  expect(error.status).toBe(status);
  expect(JSON.parse(errorBody(error.code, error.message, error.errors, error.extra))).toMatchObject({
    statusCode: status,
    ...body,
  });
});

test.each<[FailureReason['kind'], number, string | undefined]>([
  ['idempotency_in_flight', 409, '1'],
  ['unavailable', 503, '1'],
  // A retry would time out again.
  ['timeout', 503, undefined],
])('%s gets %d with Retry-After %p', (kind, status, seconds) => {
  const error = toApiError(new Failure({ kind } as FailureReason));
  expect([error.status, error.code]).toEqual([status, kind]);
  expect(error.headers?.['Retry-After']).toBe(seconds);
});

test.each<[string, readonly JsonPart[], string]>([
  ['nothing', [], ''],
  ['an empty list', ['[', [], ']'], '[]'],
  ['several records, one of them empty', ['[', [bytes('1'), bytes(''), bytes('"ü€😀"')], ']'], '[1,,"ü€😀"]'],
  ['bytes and texts of several bytes per character', ['"ü"', bytes(',"😀",'), '"\ud800"'], '"ü","😀","\ufffd"'],
  ['several lists', [[bytes('1'), bytes('2')], ';', [bytes('3')]], '1,2;3'],
  ['views of one buffer', [[bytes('abc').subarray(1, 2), bytes('abc').subarray(2)]], 'b,c'],
])('JSON made of %s is joined to bytes', (_, parts, expected) => {
  expect(jsonBytes(parts).toString()).toBe(expected);
});
