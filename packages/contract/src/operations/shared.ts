import { Type } from 'typebox';
import { uuid } from '../schemas/build.js';
import { onMatch } from '../schemas/bulk.js';
import { Warnings } from '../schemas/envelope.js';
import type { exampleIds } from '../schemas/example-ids.js';
import { closed } from '../schemas/input.js';
import { FieldsParameter, pageQuery, SearchTerm } from '../schemas/pagination.js';

/** Header of every write: a later read sends it back to see the write. */
export const writeHeaders = {
  'X-Read-After':
    'An opaque token. A read that sends it as `X-Read-After` sees this write, even if a replica serves reads.',
} as const;

/** Writes with an `Idempotency-Key` also say whether the response is a replay. */
export const onceHeaders = {
  ...writeHeaders,
  'Idempotent-Replayed': '`true` if this repeats the answer to an earlier request with the same Idempotency-Key.',
} as const;

/** Creates also say what happened to the record. */
export const createHeaders = {
  'X-Record-Status': '`created`, `matched` (found and not changed) or `updated`.',
  ...onceHeaders,
} as const;

/** Answers about one record carry its version. */
export const recordHeaders = { ETag: 'Version of the record, as in `"3"`.' } as const;

/** Updates return the record, so they have both. */
export const updateHeaders = { ...recordHeaders, ...writeHeaders } as const;

/** Properties besides `data` in the response of a write. */
export const writeExtra = { warnings: Type.Optional(Warnings) } as const;

/** The path of one record. */
export const idParams = (kind: keyof typeof exampleIds) => closed({ id: uuid('Id of the record.', kind) }, {});

/** The query of a get by id. */
export const FieldsQuery = closed({ fields: Type.Optional(FieldsParameter) }, {});

/** The query of a list that can only be paged through. */
export const PageQuery = closed(pageQuery, {});

/** The query of the account and contact lists. */
export const ListQuery = closed(
  { q: Type.Optional(SearchTerm), ...pageQuery, fields: Type.Optional(FieldsParameter) },
  {},
);

/** The query of the object creates. */
export const OnMatchQuery = closed({ on_match: onMatch }, {});
