import { findDuplicates } from '@crm/db';
import { ErrorCollector, type ObjectType, parseLimit } from '@crm/domain';
import type { Caller } from '@crm/http';
import type { Context } from './context.js';
import { decodeCursor } from './page.js';

/** A page of records of one object that may be duplicates. */
export const listDuplicates = async (
  context: Context,
  { organizationId }: Caller,
  operation: string,
  objectType: ObjectType,
  query: { readonly cursor?: string | undefined; readonly limit?: string | undefined },
) => {
  const errors = new ErrorCollector();
  const limit = parseLimit(query.limit, errors);
  const binding = { organizationId, operation, limit };
  const position = decodeCursor(context, query.cursor, binding, errors);
  const page = await findDuplicates(context.database, { organizationId, objectType, position, limit });
  const nextCursor = page.nextPosition === null ? null : context.cursors.encode(binding, page.nextPosition);
  return {
    message: 'Found duplicates',
    data: {
      duplicates: page.duplicates.map(({ candidates, ...record }) => ({
        ...record,
        candidates: candidates.map(({ reasons, ...candidate }) => ({ ...candidate, reasons: [...reasons] })),
      })),
      has_more: nextCursor !== null,
      next_cursor: nextCursor,
      limit,
    },
  };
};
