import type { Deleted, OperationContract } from '@crm/contract';
import { deleteRecord as deleteFromDatabase } from '@crm/db';
import type { ObjectType } from '@crm/domain';
import type { OperationRequest } from '@crm/http';
import type { Context } from './context.js';
import { explainNotFound } from './explain-not-found.js';
import { readIfMatch } from './if-match.js';
import { readAfterHeader } from './read-after-header.js';
import { writeOrigin } from './write-origin.js';

/** The shape that deletions share. */
type DeleteRequest = Pick<OperationRequest<OperationContract>, 'caller' | 'header' | 'requestId'> & {
  readonly params: { readonly id: string };
};

/**
 * Deletes one record.
 * @throws ApiError `not_found`; `precondition_failed` if `If-Match` names another version; `conflict` with the counts for an account
 * that is in use
 */
export const deleteRecord = async (
  { database }: Context,
  request: DeleteRequest,
  kind: ObjectType | 'note',
): Promise<{ message: string; data: Deleted; headers: Readonly<Record<string, string>> }> => {
  const { header, params } = request;
  const { organizationId } = request.caller;
  const target = { id: params.id.toLowerCase(), version: readIfMatch(header('if-match')) };
  const work = () => deleteFromDatabase(database, organizationId, kind, target, writeOrigin(request));
  const { result, readMark } = await explainNotFound(database, organizationId, kind, target.id, work);
  return { message: `Deleted ${kind}`, data: { id: result.id }, headers: readAfterHeader(readMark) };
};
