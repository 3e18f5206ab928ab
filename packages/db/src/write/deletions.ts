import { isFailure, type ObjectType } from '@crm/domain';
import type { Database } from '../database.js';
import { runWrite, type UpdateTarget, type Write, type WriteOrigin, type Written } from './write.js';

/** What a delete function answers. */
interface Deletion {
  readonly id: string;
  /** False when the record has left a part of its opportunities or notes only: the call has to be sent again. */
  readonly is_deleted?: boolean;
}

/** One call of a delete function: see {@link deleteRecord}, which repeats it until the record is gone. */
export const recordDeletion = (kind: ObjectType | 'note', { id, version }: UpdateTarget): Write<Deletion> => ({
  function: `delete_${kind}`,
  input: { id, version },
});

/**
 * Deletes a record for good, with every stored answer that repeats its values. A contact leaves its opportunities and notes. One
 * with more than 250 of either leaves them in several transactions: when a call is cut off, the contact is still
 * there, with fewer opportunities, and the next call continues.
 *
 * @param target - the version counts when the deletion begins
 * @throws Failure `not_found`; `precondition_failed` for another version; `account_in_use`
 */
export const deleteRecord = async (
  database: Database,
  organizationId: string,
  kind: ObjectType | 'note',
  target: UpdateTarget,
  origin: WriteOrigin | null = null,
): Promise<Written<Deletion>> => {
  let written = await runWrite(database, organizationId, recordDeletion(kind, target), null, origin);
  while (written.result.is_deleted === false) {
    const next = recordDeletion(kind, { id: target.id });
    const later = await runWrite(database, organizationId, next, null, origin).catch((error: unknown) => {
      // A parallel deletion was faster.
      if (isFailure(error, 'not_found')) return null;
      throw error;
    });
    if (later === null) return written;
    written = later;
  }
  return written;
};
