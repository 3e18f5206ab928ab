import { errorCatalogue, type ErrorCode } from '@crm/domain';
import { Type, type Static } from 'typebox';
import { integer, listOf, mapOf, oneOf, text, uuid } from './build.js';
import { exampleLogId } from './example-ids.js';

/** `success` of every response except errors. */
export const Success = Type.Literal(true, { description: 'True on success.' });

/** `message` of every response. */
export const Message = text('Human-readable status.', 'OK');

/** One value in the request that was not applied. */
export const Warning = Type.Object(
  {
    field: text('Dotted path of the field.', 'opportunity.deal_size'),
    message: text('Why it was not applied.', 'The record exists: its stored value was kept'),
  },
  { title: 'Warning', description: 'A value in the request that was not applied, or that may be a mistake.' },
);
export type Warning = Static<typeof Warning>;

/** `warnings` of writes; absent if every value was applied. */
export const Warnings = listOf(
  Warning,
  'Values in the request that were not applied or may be mistakes; absent if there are none.',
);

/** `statusCode` in the response of the create-opportunity operation. */
export const StatusCode = Type.Literal(200, { description: 'Equals the HTTP status.' });

/** Two opportunities that a merge would give the same natural key. */
export const OpportunityConflict = Type.Object(
  {
    id: uuid('Id of the opportunity of the record `from`.', 'second'),
    existing_id: uuid('Id of the opportunity of the kept record.', 'opportunity'),
    pipeline_id: uuid('Pipeline of both.', 'pipeline'),
    name: text('Name of both.', 'Website redesign'),
  },
  { title: 'OpportunityConflict', description: 'Two opportunities that a merge would give the same natural key.' },
);

/** The body of every error, whatever its status. */
export const ErrorBody = Type.Object(
  {
    success: Type.Literal(false, { description: 'False on every error.' }),
    message: text('Human-readable reason.', 'Validation failed'),
    statusCode: integer('Equals the HTTP status.', 400, { minimum: 400, maximum: 599 }),
    code: oneOf(
      Object.keys(errorCatalogue) as ErrorCode[],
      'What went wrong, for programs. Later versions may add codes.',
      'validation_failed',
    ),
    errors: Type.Optional(
      mapOf(Type.String(), {
        description: 'On validation errors: the error text of each invalid field, by its dotted path.',
        examples: [{ pipeline_id: 'must be a valid UUID' }],
      }),
    ),
    conflict: Type.Optional(
      Type.Object(
        {
          field: text('The field whose value another record already has.', 'email'),
          existing_id: uuid('Id of the record that has it.', 'contact'),
          other_id: Type.Optional(
            uuid(
              'On a create whose `external_id` and natural key belong to two records: id of the record with the natural ' +
                'key.',
              'contact',
            ),
          ),
          external_id: Type.Optional(
            text(
              'On a create whose natural key belongs to a record with another `external_id`: the `external_id` of that record.',
              'SF-0012',
            ),
          ),
        },
        {
          description: 'On 409 for a natural key, `external_id`, name, label or slug that another record already has.',
        },
      ),
    ),
    oldest_position: Type.Optional(
      integer('On 410 for expired events: position of the oldest retained event.', 1_042, { minimum: 1 }),
    ),
    log_id: Type.Optional(text('On 410 for a position of another log: the id of this log.', exampleLogId)),
    conflicts: Type.Optional(
      listOf(
        OpportunityConflict,
        'On 409 for a merge: opportunities that would get the natural key of another one. At most 100.',
      ),
    ),
    merged_into: Type.Optional(
      uuid(
        'On 404 for a record that was merged into another one: the id of that other record, which may have been ' +
          'deleted since.',
        'account',
      ),
    ),
    counts: Type.Optional(
      mapOf(Type.Integer({ minimum: 0 }), {
        description:
          'On 409 for an account, stage, member or field that is still in use: how many records of each kind use it. ' +
          '`moved`: how many deals the call moved to another stage or owner before it was refused.',
        examples: [{ contacts: 2, opportunities: 1 }],
      }),
    ),
  },
  { title: 'Error', description: 'The body of every error.' },
);

const statuses: Readonly<Record<string, { readonly status: number }>> = errorCatalogue;

/** The HTTP status of an error code; undefined for an unknown code. */
export const statusOfCode = (code: string | undefined): number | undefined =>
  code !== undefined && Object.hasOwn(statuses, code) ? statuses[code]?.status : undefined;
