import type { ObjectType } from '@crm/domain';
import type { Write } from './write.js';

/** Deletes a record for good. A contact leaves its opportunities and notes; an account that is in use is refused. */
export const recordDeletion = (kind: ObjectType | 'note', id: string): Write<{ readonly id: string }> => ({
  function: `delete_${kind}`,
  input: { id },
});
