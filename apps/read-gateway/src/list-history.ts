import { hasRecord, readHistory } from '@crm/db';
import { ApiError, ErrorCollector, type ObjectType, parseLimit } from '@crm/domain';
import type { Caller } from '@crm/http';
import type { Context } from './context.js';
import { decodeCursor, pageJson } from './page.js';

/** The input of a history. */
export interface HistoryInput {
  /** Id of the operation; cursors are bound to it. */
  readonly operation: string;
  readonly objectType: ObjectType;
  readonly id: string;
  readonly query: { readonly cursor?: string | undefined; readonly limit?: string | undefined };
}

/**
 * The events of one record that the log retains, newest first. A deleted record is found as long as the log retains an
 * event of it.
 */
export const listHistory = async (context: Context, { organizationId }: Caller, input: HistoryInput) => {
  const { operation, objectType } = input;
  const id = input.id.toLowerCase();
  const errors = new ErrorCollector();
  const limit = parseLimit(input.query.limit, errors);
  const binding = { organizationId, operation, limit, recordId: id };
  const position = decodeCursor(context, input.query.cursor, binding, errors);
  const page = await readHistory(context.database, { organizationId, objectType, id, position, limit });
  const isKnown = page.records.length > 0 || position !== null;
  if (!isKnown && !(await hasRecord(context.database, organizationId, objectType, id))) throw new ApiError('not_found');
  const nextCursor = page.nextPosition === null ? null : context.cursors.encode(binding, page.nextPosition);
  const log = [`,"log_id":${JSON.stringify(page.logId)}`];
  return { message: 'Found events', data: pageJson('events', page.records, nextCursor, limit, log) };
};
