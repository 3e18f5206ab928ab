import { defaultLimit, maxCursorLength, maxFieldNames, maxLimit, maxQueryLength } from '@crm/domain';
import { type TProperties, Type } from 'typebox';
import { fieldsEntryLength, rawParameterLength } from '../bounds.js';
import { checkedAs, flag, integer, listOf, nullable, responseObject, text } from './build.js';

/** The description of `limit`, in queries and bodies. */
export const pageLimitDescription =
  'Maximum number of records in a page. A page of long records ends early, before it exceeds 2 MB, with `has_more` true.';

/** The properties of every page besides its records. */
export const pageProperties = {
  has_more: flag('Whether another page exists.', false),
  next_cursor: nullable(text('Send it as `cursor` for the next page; null on the last one.', null)),
  limit: integer('The page size used.', defaultLimit, { minimum: 1, maximum: maxLimit }),
};

/** `cursor` in queries and bodies. */
export const PageCursor = Type.String({
  maxLength: maxCursorLength,
  description: '`next_cursor` of the previous page. Valid only with the same query, filters, sort and limit.',
});

/** `data` of a page of a list. @param items - the list, under its name */
export const pageOf = <P extends TProperties>(title: string, description: string, items: P) =>
  responseObject(title, description, { ...items, ...pageProperties });

/** The query parameters that page through a list. */
export const pageQuery = {
  cursor: Type.Optional(PageCursor),
  limit: Type.Optional(
    Type.String({
      maxLength: rawParameterLength,
      description: pageLimitDescription,
      // On the wire it is text, which `domain` parses.
      'x-document': { type: 'integer', minimum: 1, maximum: maxLimit, default: defaultLimit },
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

/** `fields` in a query: repeated, or comma-separated in one. @param example - names of fields that the object has */
export const fieldsParameter = (example: readonly string[]) =>
  listOf(
    Type.String({ maxLength: fieldsEntryLength }),
    'Fields to include: names of system fields, and slugs or `custom__<slug>` of custom fields. `custom_fields` ' +
      'stands for all visible custom fields, `default` for the fields of a request without this parameter. Repeat the ' +
      'parameter or separate the names by commas.',
    example,
    { maxItems: maxFieldNames },
  );
