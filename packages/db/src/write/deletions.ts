import { isFailure, type ObjectType } from '@crm/domain';
import type { Database } from '../database.js';
import { runWrite, type UpdateTarget, type Write, type WriteOrigin, type Written } from './write.js';

/** The result of a delete function. */
interface Deletion {
  readonly id: string;
  /** False if the call detached the record only from a part of its opportunities or notes, so that it must be repeated. */
  readonly is_deleted?: boolean;
}

/** One call of a delete function. {@link deleteRecord} repeats it until the record is deleted. */
export const recordDeletion = (kind: ObjectType | 'note', { id, version }: UpdateTarget): Write<Deletion> => ({
  function: `delete_${kind}`,
  input: { id, version },
});

/**
 * Deletes a record permanently, and all stored results of idempotent requests that contain its values. A contact is first detached from
 * its opportunities and notes. With 250 or more of either, that takes several transactions. If it is interrupted, the contact still
 * exists with fewer opportunities, and the next call continues.
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
