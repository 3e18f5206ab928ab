import { type Database, purgeExpiredAnswers } from '@crm/db';
import type { createLogger } from '@crm/http';

const hourMs = 3_600_000;
/** A process that has just started has other work, and processes that start together purge at different times. */
const firstAfterMs = 600_000;

/**
 * Deletes expired answers to requests with an `Idempotency-Key`: within the first hour, ten minutes after the start at the
 * earliest, and then every hour.
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
  const firstMs = firstAfterMs + Math.random() * (hourMs - firstAfterMs);
  let timer = setTimeout(() => void purge(), firstMs).unref();
  return () => clearTimeout(timer);
};
