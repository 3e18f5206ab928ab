import { completeRebuilds, type Database } from '@crm/db';
import type { createLogger } from '@crm/http';

const intervalMs = 60_000;
/** Only older rebuilds are completed, because the process that began a younger one may still be running it. */
const olderThanSeconds = 600;

/**
 * Completes interrupted rebuilds of stored records, every minute. A process begins such a rebuild after a change of the
 * setup, and may end before the rebuild does.
 * @returns a function that stops this
 */
export const finishRebuilds = (database: Database, logger: ReturnType<typeof createLogger>): (() => void) => {
  const finish = async (): Promise<void> => {
    try {
      const count = await completeRebuilds(database, olderThanSeconds);
      if (count > 0) logger.info({ count }, 'completed an interrupted rebuild of stored records');
    } catch (error) {
      // The database is unavailable or not migrated yet; the next run will retry.
      logger.debug({ err: error }, 'could not complete rebuilds of stored records');
    }
    timer = setTimeout(() => void finish(), intervalMs).unref();
  };
  let timer = setTimeout(() => void finish(), intervalMs * (1 + Math.random())).unref();
  return () => clearTimeout(timer);
};
