import type { ObjectType } from '@crm/domain';
import { Type } from 'typebox';
import { includedRecords, rawParameterLength } from '../bounds.js';
import { flagParameter, text, uuid } from '../schemas/build.js';
import { onMatch } from '../schemas/bulk.js';
import { Warnings } from '../schemas/envelope.js';
import type { exampleIds } from '../schemas/example-ids.js';
import { closed } from '../schemas/input.js';
import { includedNames } from '../schemas/included-names.js';
import { fieldsParameter, pageQuery, SearchTerm } from '../schemas/pagination.js';

/** The header of every write. A later read sends it back to see the write. */
export const writeHeaders = {
  'X-Read-After':
    'An opaque token. A read that sends it as `X-Read-After` sees this write, even if a replica serves reads.',
} as const;

/** The headers of writes with an `Idempotency-Key`: also whether the response is a replay. */
export const idempotentWriteHeaders = {
  ...writeHeaders,
  'Idempotent-Replayed': '`true` if this is the stored response to an earlier request with the same Idempotency-Key.',
} as const;

/** The headers of responses with one record: its version. */
export const recordHeaders = {
  ETag: 'Version of the record, and a digest of the response: `"3.9f86d081884c7d659a2f"`.',
  'X-Record-Version': 'Version of the record: `3`.',
} as const;

/** The headers of creates: also what happened to the record. */
export const createHeaders = {
  ...recordHeaders,
  'X-Record-Status': '`created`, `matched` (found and not changed) or `updated`.',
  ...idempotentWriteHeaders,
} as const;

/** The headers of updates, which return the record. */
export const updateHeaders = { ...recordHeaders, ...writeHeaders } as const;

/** Properties besides `data` in the response of a write. */
export const writeExtra = { warnings: Type.Optional(Warnings) } as const;

/** The path of one record. */
export const idParams = (kind: keyof typeof exampleIds) => closed({ id: uuid('Id of the record.', kind) }, {});

/** Names of fields for examples, by object. */
const exampleFields = {
  opportunity: ['amount', 'next_step'],
  account: ['name', 'industry'],
  contact: ['first_name', 'job_title'],
};

/** The parameter `fields` of an object's reads. */
export const fieldsOf = (object: ObjectType) => Type.Optional(fieldsParameter(exampleFields[object]));

const includeOf = (object: ObjectType) => {
  const names = includedNames[object];
  const name = `(${names.join('|')})`;
  return text(
    `Related records to return too, with commas between the names: ${names.join(', ')}. Of each, the newest ${includedRecords}.`,
    'notes',
    {
      maxLength: rawParameterLength,
      format: `include-${object}`,
      'x-document': { type: 'string', pattern: `^${name}(,${name})*$` },
    },
  );
};

/** The query of a get by id. */
export const recordQueryOf = (object: ObjectType) =>
  closed({ fields: fieldsOf(object), include: Type.Optional(includeOf(object)) }, {});

/** The query of a list without filters. */
export const PageQuery = closed(pageQuery, {});

/** The parameters of the lists of fields. */
export const fieldsListQuery = {
  include_archived: flagParameter('Whether to list archived custom fields too, and to say which options are archived.'),
  ...pageQuery,
};

/** The query of the lists of account and contact fields. */
export const FieldsListQuery = closed(fieldsListQuery, {});

/** The query of the account and contact lists. */
export const listQueryOf = (object: 'account' | 'contact') =>
  closed({ q: Type.Optional(SearchTerm), ...pageQuery, fields: fieldsOf(object) }, {});

/** The query of the object creates. */
export const OnMatchQuery = closed({ on_match: onMatch }, {});
