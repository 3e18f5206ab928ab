import { Failure, isFailure, type ObjectType } from '@crm/domain';
import type { Database } from '../database.js';
import { batchBytes } from '../setup/refresh-records.js';
import { findEvent } from './restore.js';
import { runWrite, type UpdateTarget, type Write, type WriteOrigin, type Written } from './write.js';

/** The result of a delete function. */
interface Deletion {
  readonly id: string;
  /** The position of the event of the deletion, if it is complete. */
  readonly position: number;
  /** False if the call ended before the deletion was complete. The caller must then repeat it. */
  readonly is_deleted?: boolean;
  /** The progress in the change log, for the next call. */
  readonly erased?: object | null;
}

/** How much one transaction of a deletion may do: change or erase so many records or events, with so many bytes in the change log. */
export interface DeletionBatch {
  readonly rows: number;
  readonly bytes: number;
  /** From the previous call. */
  readonly erased?: object | null | undefined;
}

const defaultBatch: DeletionBatch = { rows: 250, bytes: batchBytes };
/** A request ends after this time even if its deletion does not. With its last transaction, it ends before a shutdown would cut it off. */
const deletionLimitMs = 10_000;

/** One call of a delete function. {@link deleteRecord} repeats it until the record is deleted. */
export const recordDeletion = (
  kind: ObjectType | 'note',
  { id, version }: UpdateTarget,
  batch: DeletionBatch = defaultBatch,
): Write<Deletion> => ({ function: `delete_${kind}`, input: { id, version, batch } });

/**
 * Deletes a record permanently, and all stored results of idempotent requests that contain its values. First detaches it from other
 * records. Erases the values of a contact or note in its events. Each transaction ends after a batch. If the deletion is interrupted, the
 * record still exists with fewer links and erased events, and the next call continues.
 *
 * @param target - the version is checked only when the deletion begins
 * @throws Failure `not_found`; `precondition_failed` for another version; `account_in_use`; `deletion_unfinished` if the next call will
 * continue
 */
export const deleteRecord = async (
  database: Database,
  organizationId: string,
  kind: ObjectType | 'note',
  target: UpdateTarget,
  origin: WriteOrigin | null = null,
  limits: { readonly batch: DeletionBatch; readonly ms: number } = { batch: defaultBatch, ms: deletionLimitMs },
): Promise<Written<Deletion>> => {
  const endsAtMs = performance.now() + limits.ms;
  let written = await runWrite(database, organizationId, recordDeletion(kind, target, limits.batch), null, origin);
  while (written.result.is_deleted === false) {
    if (performance.now() > endsAtMs) throw new Failure({ kind: 'deletion_unfinished' });
    const next = recordDeletion(kind, { id: target.id }, { ...limits.batch, erased: written.result.erased });
    const later = await runWrite(database, organizationId, next, null, origin).catch((cause: unknown) => {
      // A parallel deletion finished first.
      if (isFailure(cause, 'not_found')) return null;
      if (isFailure(cause, 'timeout') || isFailure(cause, 'unavailable'))
        throw new Failure({ kind: 'deletion_unfinished' }, { cause });
      throw cause;
    });
    if (later === null) {
      const event = await findEvent(database, organizationId, { object: kind, id: target.id });
      if (event === null) throw new Failure({ kind: 'not_found' });
      return { ...written, result: { id: target.id, position: event.position } };
    }
    written = later;
  }
  return written;
};
