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

type Logger = ReturnType<typeof createLogger>;

const hourMs = 3_600_000;
/** The first hourly run is at least this long after the start, because a process that has just started is busy. */
const firstHourlyMs = 600_000;
/** With `abandonedAfterSeconds`, lists show a new label within ten seconds after the process that changed it has ended. */
const rebuildsEveryMs = 2_000;

/** A task of the upkeep, its work and its log lines. */
export interface TaskDescription {
  /** The label of its metric. */
  readonly name: string;
  /** @returns how much it did */
  readonly run: () => Promise<number>;
  readonly done: string;
  readonly failed: string;
}

/** So many failures in a row are logged as a warning. Fewer may be a restart of the database or a busy moment. */
const failuresToWarn = 3;

/** One upkeep task and how its last runs ended. */
export class UpkeepTask {
  readonly name: string;
  readonly #description: TaskDescription;
  readonly #logger: Pick<Logger, 'debug' | 'info' | 'warn'>;
  #failures = 0;
  #succeededAtMs = performance.now();

  constructor(description: TaskDescription, logger: Pick<Logger, 'debug' | 'info' | 'warn'>) {
    this.name = description.name;
    this.#description = description;
    this.#logger = logger;
  }

  /** Seconds since the last success, or since the start of the process. */
  get ageSeconds(): number {
    return (performance.now() - this.#succeededAtMs) / 1_000;
  }

  /** Runs the task. Never rejects: each task runs even if another one has failed, and the next run will retry. */
  async run(): Promise<void> {
    const { run, done, failed } = this.#description;
    try {
      const count = await run();
      if (count > 0) this.#logger.info({ count }, done);
      if (this.#failures >= failuresToWarn) this.#logger.info({ failures: this.#failures }, `${done}, after failures`);
      this.#failures = 0;
      this.#succeededAtMs = performance.now();
    } catch (error) {
      this.#failures += 1;
      const level = this.#failures === failuresToWarn ? 'warn' : 'debug';
      this.#logger[level]({ err: error, failures: this.#failures }, failed);
    }
  }
}

const hourlyTasks = (database: Database, eventRetentionDays: number): readonly TaskDescription[] => [
  {
    name: 'stored results',
    run: () => purgeExpiredResults(database),
    done: 'deleted expired stored results of requests with an Idempotency-Key',
    failed: 'could not delete expired stored results',
  },
  {
    name: 'partitions',
    run: () => makeEventPartitions(database),
    done: 'made partitions of the change log for the weeks ahead',
    failed: 'could not make partitions of the change log',
  },
  {
    name: 'retention',
    run: () => (eventRetentionDays === 0 ? Promise.resolve(0) : purgeExpiredEvents(database, eventRetentionDays)),
    done: 'dropped expired partitions of the change log',
    failed: 'could not drop expired partitions of the change log',
  },
  {
    name: 'statistics',
    run: () => refreshStatistics(database),
    done: 'refreshed statistics of tables that have changed',
    failed: 'could not refresh statistics',
  },
];

/** A process begins a rebuild after a change of the setup, and may end before the rebuild does. */
const rebuildTask = (database: Database): TaskDescription => ({
  name: 'rebuilds',
  run: () => completeRebuilds(database, abandonedAfterSeconds),
  done: 'completed an interrupted rebuild of stored records',
  failed: 'could not complete rebuilds of stored records',
});

/** The running upkeep. */
export interface Upkeep {
  readonly tasks: readonly Pick<UpkeepTask, 'name' | 'ageSeconds'>[];
  stop(): void;
}

/** Runs tasks again and again. @returns a function that stops this */
const repeat = (tasks: readonly UpkeepTask[], firstMs: number, everyMs: number): (() => void) => {
  const runAll = async (): Promise<void> => {
    for (const task of tasks) await task.run();
    timer = setTimeout(() => void runAll(), everyMs).unref();
  };
  let timer = setTimeout(() => void runAll(), firstMs).unref();
  return () => clearTimeout(timer);
};

/**
 * Runs the hourly tasks, and completes interrupted rebuilds of stored records every two seconds. A random delay comes
 * first, so that processes that start together do not all run at once.
 */
export const startUpkeep = (database: Database, logger: Logger, eventRetentionDays: number): Upkeep => {
  const hourly = hourlyTasks(database, eventRetentionDays).map((task) => new UpkeepTask(task, logger));
  const rebuilds = new UpkeepTask(rebuildTask(database), logger);
  const firstMs = firstHourlyMs + Math.random() * (hourMs - firstHourlyMs);
  const stopHourly = repeat(hourly, firstMs, hourMs);
  const stopRebuilds = repeat([rebuilds], rebuildsEveryMs * (1 + Math.random()), rebuildsEveryMs);
  return {
    tasks: [...hourly, rebuilds],
    stop: () => {
      stopHourly();
      stopRebuilds();
    },
  };
};
