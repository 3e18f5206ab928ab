import { Type, type Static, type TSchema } from 'typebox';
import { maxVersion } from '../bounds.js';
import { flag, flagParameter, integer, listOf, mapOf, nullable, oneOf, type SchemaOptions, uuid } from './build.js';
import { Warnings } from './envelope.js';
import { exampleIds } from './example-ids.js';
import { closed } from './input.js';

/** The properties of a bulk update's item besides the changes. */
export const bulkTarget = {
  id: uuid('Id of the record to change.', 'account'),
  version: Type.Optional(
    integer('Apply the change only if the record has this version.', 3, { minimum: 1, maximum: maxVersion }),
  ),
};

/**
 * A bulk body. An invalid item fails alone, so the schema of the body accepts any value as an item. The schema of an item is compiled
 * separately and shown in the document.
 */
export const bulkBody = (item: TSchema, maxItems: number, options: SchemaOptions) =>
  closed(
    {
      items: Type.Array(Type.Unsafe<unknown>({ description: 'One record.', 'x-document': item }), {
        minItems: 1,
        maxItems,
        description: `1 to ${maxItems} records. Items for the same record are applied in order.`,
      }),
    },
    options,
  );

/** The result of one item of a bulk call. */
export const BulkResult = Type.Object(
  {
    index: integer('Index of the item in the request, from 0.', 0, { minimum: 0 }),
    success: flag('Whether the item was applied.'),
    record_status: nullable(
      oneOf(['created', 'matched', 'updated'], 'What happened to the record; null if the item failed.'),
    ),
    id: nullable(uuid('Id of the record; null if the item failed and the id is unknown.', 'account')),
    version: Type.Optional(
      integer('The version of the record after this item. Only if the item was applied.', 1, { minimum: 1 }),
    ),
    account_id: Type.Optional(
      nullable(uuid('The account of the contact or opportunity. Only in results of creates.', 'account')),
    ),
    contact_id: Type.Optional(
      nullable(uuid('The primary contact of the opportunity. Only in results of creates.', 'contact')),
    ),
    note_id: Type.Optional(uuid('The note that the item sent. Only in results of creates.', 'note')),
    warnings: Type.Optional(Warnings),
    errors: Type.Optional(
      mapOf(Type.String(), {
        description:
          'The error text of each invalid field, by its dotted path within the item; `item` stands for the item as a ' +
          'whole.',
      }),
    ),
  },
  { title: 'BulkResult', description: 'The result of one item.' },
);
export type BulkResult = Static<typeof BulkResult>;

/** `data` of every bulk call. */
export const BulkResults = Type.Object(
  { results: listOf(BulkResult, 'One result per item, in order.') },
  {
    title: 'BulkResults',
    description: 'The result of each item.',
    examples: [
      {
        results: [
          { index: 0, success: true, record_status: 'created', id: exampleIds.account, version: 1 },
          { index: 1, success: false, record_status: null, id: null, errors: { domain: 'is required' } },
        ],
      },
    ],
  },
);
export type BulkResults = Static<typeof BulkResults>;

const atomic = flagParameter(
  'Whether one failed item rejects the whole call: then 400 with `errors["items[3].email"]`, and nothing is written.',
);

/** The query of bulk updates. */
export const BulkQuery = closed({ atomic }, {});

/** `on_match` of the object creates. */
export const onMatch = Type.Optional(
  oneOf(
    ['keep', 'update'],
    'What to do if the record exists: `keep` its values, or `update` it with the values in the request.',
    undefined,
    { title: 'OnMatch', default: 'keep' },
  ),
);

/** The query of bulk creates. */
export const BulkCreateQuery = closed({ atomic, on_match: onMatch }, {});
