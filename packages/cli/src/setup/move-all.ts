import { CrmConflictError } from '@crm/client';

/**
 * Repeats a call that moves opportunities until none is left. One call of the API moves up to 10,000, and then answers 409 with
 * the number of moved ones. Each call closes the stage or the owner first, so nothing refills it.
 *
 * @throws CrmConflictError if a call moved none
 */
export const moveAll = async <T>(call: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof CrmConflictError) || (error.counts?.['moved'] ?? 0) === 0) throw error;
    }
  }
};
