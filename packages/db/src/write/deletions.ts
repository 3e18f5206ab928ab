import { isFailure, type ObjectType } from '@crm/domain';
import type { Database } from '../database.js';
import { runWrite, type UpdateTarget, type Write, type WriteOrigin, type Written } from './write.js';

/** The result of a delete function. */
interface Deletion {
  readonly id: string;
  /** False if the call may have detached the record from only some of its opportunities or notes. The caller must then repeat it. */
  readonly is_deleted?: boolean;
}

/** One call of a delete function. {@link deleteRecord} repeats it until the record is deleted. */
export const recordDeletion = (kind: ObjectType | 'note', { id, version }: UpdateTarget): Write<Deletion> => ({
  function: `delete_${kind}`,
  input: { id, version },
});

/**
 * Deletes a record permanently, and all stored results of idempotent requests that contain its values. A contact is first detached from
 * its opportunities and notes, and an account or opportunity from its notes. This takes several transactions for a contact with 250 or
 * more of either, and for an account or opportunity with 1,000 or more notes. If the deletion is interrupted, the record still exists with
 * fewer links, and the next call continues.
 *
 * @param target - the version is checked only when the deletion begins
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
      // A parallel deletion finished first.
      if (isFailure(error, 'not_found')) return null;
      throw error;
    });
    if (later === null) return written;
    written = later;
  }
  return written;
};
