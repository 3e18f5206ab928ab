import { defaultLimit, maxCursorLength, maxFieldNames, maxLimit, maxQueryLength } from '@crm/domain';
import { Type } from 'typebox';
import { fieldsEntryLength, rawParameterLength } from '../bounds.js';
import { checkedAs, nullable } from './build.js';

/** The documented schema of `limit` in a query. On the wire it is text, which `domain` parses. */
const documentedLimit = {
  type: 'integer',
  minimum: 1,
  maximum: maxLimit,
  default: defaultLimit,
} as const;

/** The description of `limit`, in queries and bodies. */
export const pageLimitDescription =
  'Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true.';

/** The properties of every page besides its records. */
export const pageProperties = {
  has_more: Type.Boolean({ description: 'Whether another page exists.', examples: [true] }),
  next_cursor: nullable(
    Type.String({
      description: 'Send it as `cursor` for the next page; null on the last one.',
      examples: ['v1.eyJrIjoi'],
    }),
  ),
  limit: Type.Integer({
    minimum: 1,
    maximum: maxLimit,
    description: 'The page size used.',
    examples: [defaultLimit],
  }),
};

/** The query parameters that page through a list. */
export const pageQuery = {
  cursor: Type.Optional(
    Type.String({
      maxLength: maxCursorLength,
      description: '`next_cursor` of the previous page. Valid only with the same query, filters, sort and limit.',
    }),
  ),
  limit: Type.Optional(
    Type.String({
      maxLength: rawParameterLength,
      description: pageLimitDescription,
      'x-document': documentedLimit,
      ...checkedAs('limit'),
    }),
  ),
};

/** `q` and `query`: words that a record must contain. */
export const SearchTerm = Type.String({
  // White space around the words does not count, so `domain` checks the documented length.
  maxLength: rawParameterLength,
  'x-document': { type: 'string', maxLength: maxQueryLength },
  description: `Only records that contain all of these words. At most ${maxQueryLength} characters.`,
  examples: ['acme renewal'],
  ...checkedAs('q'),
});

/** `fields` in a query: repeated, or comma-separated in one. */
export const FieldsParameter = Type.Array(Type.String({ maxLength: fieldsEntryLength }), {
  maxItems: maxFieldNames,
  description:
    'Fields to include: names of system fields, and slugs or `custom__<slug>` of custom fields. `custom_fields` ' +
    'stands for all visible custom fields. Repeat the parameter or separate the names by commas.',
  examples: [['amount', 'deal_tier']],
});
