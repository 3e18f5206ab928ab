import { type Database, purgeExpiredAnswers } from '@crm/db';
import type { createLogger } from '@crm/http';

const hourMs = 3_600_000;

/**
 * Deletes expired answers to requests with an `Idempotency-Key`, shortly after the start and then every hour. Processes that
 * start together do so at different times.
 * @returns ends it
 */
export const purgeAnswers = (database: Database, logger: ReturnType<typeof createLogger>): (() => void) => {
  const purge = async (): Promise<void> => {
    try {
      const deleted = await purgeExpiredAnswers(database);
      if (deleted > 0) logger.info({ deleted }, 'deleted expired answers to requests with an Idempotency-Key');
    } catch (error) {
      // The database is away, or has not been migrated yet; the next hour will do.
      logger.debug({ err: error }, 'could not delete expired answers');
    }
    timer = setTimeout(() => void purge(), hourMs).unref();
  };
  let timer = setTimeout(() => void purge(), Math.random() * 60_000).unref();
  return () => clearTimeout(timer);
};
