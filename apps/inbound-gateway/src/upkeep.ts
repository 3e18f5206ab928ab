import {
  abandonedAfterSeconds,
  completeRebuilds,
  type Database,
  makeEventPartitions,
  purgeExpiredEvents,
  purgeExpiredResults,
  refreshStatistics,
} from '@crm/db';
import type { createLogger } from '@crm/http';

const hourMs = 3_600_000;
/** The first hourly run is at least this long after the start, because a process that has just started is busy. */
const firstHourlyMs = 600_000;
const rebuildsEveryMs = 15_000;

/** One upkeep task. Each task runs even if another has failed. */
interface Task {
  readonly run: () => Promise<number>;
  readonly done: string;
  readonly failed: string;
}

const hourlyTasks = (database: Database, eventRetentionDays: number): readonly Task[] => [
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

/** A process begins a rebuild after a change of the setup, and may end before the rebuild does. */
const rebuildTask = (database: Database): Task => ({
  run: () => completeRebuilds(database, abandonedAfterSeconds),
  done: 'completed an interrupted rebuild of stored records',
  failed: 'could not complete rebuilds of stored records',
});

/**
 * Runs the hourly tasks, and completes interrupted rebuilds of stored records every quarter of a minute. A random delay
 * comes first, so that processes that start together do not all run at once.
 * @returns a function that stops this
 */
export const startUpkeep = (
  database: Database,
  logger: ReturnType<typeof createLogger>,
  eventRetentionDays: number,
): (() => void) => {
  const repeat = (tasks: readonly Task[], firstMs: number, everyMs: number): (() => void) => {
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
      timer = setTimeout(() => void runAll(), everyMs).unref();
    };
    let timer = setTimeout(() => void runAll(), firstMs).unref();
    return () => clearTimeout(timer);
  };
  const firstMs = firstHourlyMs + Math.random() * (hourMs - firstHourlyMs);
  const stopHourly = repeat(hourlyTasks(database, eventRetentionDays), firstMs, hourMs);
  const stopRebuilds = repeat([rebuildTask(database)], rebuildsEveryMs * (1 + Math.random()), rebuildsEveryMs);
  return () => {
    stopHourly();
    stopRebuilds();
  };
};
