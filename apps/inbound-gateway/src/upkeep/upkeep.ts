import {
  type Database,
  makeEventPartitions,
  purgeExpiredEvents,
  purgeExpiredResults,
  refreshStatistics,
} from '@crm/db';
import type { createLogger } from '@crm/http';

const hourMs = 3_600_000;
/**
 * The first run is at least this long after the start, because a process that has just started is busy. A random delay
 * is added, so that processes that start together do not all run at once.
 */
const firstAfterMs = 600_000;

/** One upkeep task. Each task runs even if another has failed. */
interface Task {
  readonly run: () => Promise<number>;
  readonly done: string;
  readonly failed: string;
}

const tasksOf = (database: Database, eventRetentionDays: number): Task[] => [
  {
    run: () => purgeExpiredResults(database),
    done: 'deleted expired stored results of requests with an Idempotency-Key',
    failed: 'could not delete expired stored results',
  },
  {
    run: () => makeEventPartitions(database),
    done: 'made partitions of the change log for the weeks ahead',
    failed: 'could not make partitions of the change log',
  },
  {
    run: () => (eventRetentionDays === 0 ? Promise.resolve(0) : purgeExpiredEvents(database, eventRetentionDays)),
    done: 'dropped expired partitions of the change log',
    failed: 'could not drop expired partitions of the change log',
  },
  {
    run: () => refreshStatistics(database),
    done: 'refreshed statistics of tables that have changed',
    failed: 'could not refresh statistics',
  },
];

/**
 * Runs the upkeep tasks every hour: deletes expired stored results of requests with an `Idempotency-Key`, creates
 * partitions of the change log, drops expired ones, and refreshes the planner's statistics. The first run is between ten
 * minutes and an hour after the start.
 * @returns a function that stops this
 */
export const startUpkeep = (
  database: Database,
  logger: ReturnType<typeof createLogger>,
  eventRetentionDays: number,
): (() => void) => {
  const tasks = tasksOf(database, eventRetentionDays);
  const runAll = async (): Promise<void> => {
    for (const { run, done, failed } of tasks) {
      try {
        const count = await run();
        if (count > 0) logger.info({ count }, done);
      } catch (error) {
        // The database is unavailable, busy or not migrated yet; the next run will retry.
        logger.debug({ err: error }, failed);
      }
    }
    timer = setTimeout(() => void runAll(), hourMs).unref();
  };
  const firstMs = firstAfterMs + Math.random() * (hourMs - firstAfterMs);
  let timer = setTimeout(() => void runAll(), firstMs).unref();
  return () => clearTimeout(timer);
};
