import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure, type ReadMark } from '@crm/domain';
import { Availability, type AvailabilityListener } from './availability.js';
import { createSetupCache, mayBeOutdated, type SetupCache } from './setup-cache.js';
import type { Database, Queries } from './database.js';
import { isPoolTimeout, lacksSchema, retryTransaction } from './database-errors.js';
import { markState } from './read-mark.js';

/** Where a read gets its data: the records and the setups of one server. */
export interface ReadSource {
  readonly database: Queries;
  readonly setups: SetupCache;
}

/** Decides which server serves a read. */
export interface ReadRouter {
  /**
   * Runs a read on the replica. It runs on the primary instead if there is no replica, if the replica is unreachable, or if it does not
   * have the marked write within 500 ms. If the request is rejected (400, 404), `work` runs again on the primary, because the replica may
   * not have received what the request refers to. It also runs again if the replica lacks the newest migration or is unavailable, but not
   * after a timeout of the statement, and not if all connections to a reachable replica are busy.
   */
  read<T>(organizationId: string, mark: ReadMark | null, work: (source: ReadSource) => Promise<T>): Promise<T>;
  /** Runs work that needs current data on the primary, or on the replica while the primary is unreachable. */
  readLatest<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** Runs work that tolerates outdated data and belongs to no single organization: on the replica if there is one, else on the primary. */
  readAny<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** Succeeds if any server can serve reads. @throws Failure `unavailable` if none can */
  ping(): Promise<void>;
  /** The setup cache of each server, with the name of its metrics. */
  readonly setups: readonly { readonly name: string; readonly setups: SetupCache }[];
  /** Closes both pools. */
  close(): Promise<void>;
}

/** The servers that reads may go to. */
export interface ReadRouterOptions {
  readonly primary: Database;
  readonly replica: Database | null;
  readonly onPrimaryChange?: AvailabilityListener;
  readonly onReplicaChange?: AvailabilityListener;
}

const markWaitMs = 500;
const firstPauseMs = 10;

/** The primary, whose setups show the marked write. */
const sourceAfter = (source: ReadSource, mark: ReadMark | null): ReadSource =>
  mark === null ? source : { ...source, setups: source.setups.on(source.database, mark) };

/** While a read runs, Citus may move its rows to another worker. A second run of the read finds them there. */
const onlyPrimary = (primary: Database): ReadRouter => {
  const source = { database: primary, setups: createSetupCache(primary) };
  return {
    read: (_organizationId, mark, work) => retryTransaction(() => work(sourceAfter(source, mark)), 2),
    readLatest: (work) => work(primary),
    readAny: (work) => retryTransaction(() => work(primary), 2),
    setups: [{ name: 'setups', setups: source.setups }],
    ping: () => primary.ping(),
    close: () => primary.close(),
  };
};

/** The result of the work, or null if the replica does not receive the marked write in time or cannot check the mark. */
const readWhenVisible = async <T>(
  replica: Database,
  organizationId: string,
  mark: ReadMark,
  work: (database: Queries) => Promise<T>,
): Promise<{ readonly answer: T } | null> => {
  const deadlineMs = performance.now() + markWaitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    // The check and the read use the same connection, because the address may lead to several replicas. It is released while waiting.
    const found = await replica.withConnectionOf(organizationId, async (connection) => {
      const state = await markState(connection, mark);
      return state === 'visible' ? { answer: await work(connection) } : state;
    });
    if (typeof found === 'object') return found;
    const leftMs = deadlineMs - performance.now();
    if (found === 'foreign' || leftMs <= 0) return null;
    await sleep(Math.min(pauseMs, leftMs));
  }
};

/** Runs reads on a replica. They return null in the cases of {@link readWhenVisible}. */
const readsOf =
  (replica: Database, setups: SetupCache) =>
  <T>(
    organizationId: string,
    mark: ReadMark | null,
    work: (source: ReadSource) => Promise<T>,
  ): Promise<{ readonly answer: T } | null> => {
    const on = (database: Queries): Promise<T> => work({ database, setups: setups.on(database, mark) });
    if (mark !== null) return readWhenVisible(replica, organizationId, mark, on);
    return on(replica).then((answer) => ({ answer }));
  };

const withReplica = (primary: Database, replica: Database, options: ReadRouterOptions): ReadRouter => {
  const ignore = (): void => undefined;
  const primaryState = new Availability(primary, options.onPrimaryChange ?? ignore);
  const replicaState = new Availability(replica, options.onReplicaChange ?? ignore);
  const primarySource = { database: primary, setups: createSetupCache(primary) };
  const replicaSetups = createSetupCache(replica);

  const isReplicaAway = (): boolean => replicaState.isAway;
  const canReplicaStandIn = (): boolean => primaryState.isAway && !isReplicaAway();

  const readReplica = readsOf(replica, replicaSetups);

  return {
    read: async (organizationId, mark, work) => {
      if (isReplicaAway()) return work(sourceAfter(primarySource, mark));
      let refusal: unknown;
      try {
        const found = await readReplica(organizationId, mark, work);
        if (found !== null) return found.answer;
      } catch (error) {
        if (mayBeOutdated(error)) {
          // A lagging replica cannot know that a position does not exist. If the primary is unreachable too, the response is 503.
          if (!isFailure(error, 'position_ahead')) refusal = error;
        }
        // A statement that times out here would time out on the primary too.
        else if (!isFailure(error, 'unavailable') && !lacksSchema(error)) throw error;
        await replicaState.report(error);
        // If the replica is only busy, its load would overload the primary too.
        if (isPoolTimeout(error) && !isReplicaAway()) throw error;
      }
      return work(sourceAfter(primarySource, mark)).catch(async (error: unknown) => {
        await primaryState.report(error);
        // If the primary is unreachable, the replica's response is the best available one.
        throw mark === null && primaryState.isAway ? (refusal ?? error) : error;
      });
    },
    readLatest: async (work) => {
      if (canReplicaStandIn()) return work(replica);
      try {
        return await work(primary);
      } catch (error) {
        await primaryState.report(error);
        if (canReplicaStandIn()) return work(replica);
        throw error;
      }
    },
    readAny: async (work) => {
      if (isReplicaAway()) return work(primary);
      try {
        return await work(replica);
      } catch (error) {
        await replicaState.report(error);
        if (!isReplicaAway() && !lacksSchema(error)) throw error;
        return work(primary);
      }
    },
    setups: [
      { name: 'setups', setups: primarySource.setups },
      { name: 'replica_setups', setups: replicaSetups },
    ],
    ping: () => Promise.any([primary.ping(), replica.ping()]),
    close: async () => {
      primaryState.stop();
      replicaState.stop();
      await Promise.all([primary.close(), replica.close()]);
    },
  };
};

/** Creates the router of one process. Without a replica, every read goes to the primary, which has every marked write. */
export const createReadRouter = (options: ReadRouterOptions): ReadRouter =>
  options.replica === null ? onlyPrimary(options.primary) : withReplica(options.primary, options.replica, options);
