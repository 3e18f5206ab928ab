import type { Deleted } from '@crm/contract';
import { recordDeletion, runWrite } from '@crm/db';
import type { ObjectType } from '@crm/domain';
import type { Caller } from '@crm/http';
import type { Context } from './context.js';
import { readAfterHeader } from './read-after-header.js';

/** Deletes one record for good. @throws ApiError `not_found`; `conflict` with the counts for an account that is in use */
export const deleteRecord = async (
  { database }: Context,
  { organizationId }: Caller,
  kind: ObjectType | 'note',
  id: string,
): Promise<{ message: string; data: Deleted; headers: Readonly<Record<string, string>> }> => {
  const { result, readMark } = await runWrite(database, organizationId, recordDeletion(kind, id.toLowerCase()), null);
  return { message: `Deleted ${kind}`, data: { id: result.id }, headers: readAfterHeader(readMark) };
};
