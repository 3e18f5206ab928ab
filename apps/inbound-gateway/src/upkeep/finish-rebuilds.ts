import { abandonedAfterSeconds, completeRebuilds, type Database } from '@crm/db';
import type { createLogger } from '@crm/http';

const intervalMs = 15_000;

/**
 * Completes interrupted rebuilds of stored records, every quarter of a minute. A process begins such a rebuild after a change of the
 * setup, and may end before the rebuild does.
 * @returns a function that stops this
 */
export const finishRebuilds = (database: Database, logger: ReturnType<typeof createLogger>): (() => void) => {
  const finish = async (): Promise<void> => {
    try {
      const count = await completeRebuilds(database, abandonedAfterSeconds);
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
