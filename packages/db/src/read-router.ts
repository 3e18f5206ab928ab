import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure, type ReadMark } from '@crm/domain';
import { Availability, type AvailabilityListener } from './availability.js';
import { type SetupCache, createSetupCache } from './setup-cache.js';
import type { Database, Queries } from './database.js';
import { isPoolTimeout } from './database-errors.js';
import { isPositionAhead, mayBeOutdated } from './outdated.js';
import { markState } from './read-mark.js';

/** What a read asks: records and the set-up as one server has them. */
export interface ReadSource {
  readonly database: Queries;
  readonly setups: SetupCache;
}

/** Decides which server answers a read. */
export interface ReadRouter {
  /**
   * Runs a read on the replica, or on the primary where there is none, where it is away, or where it does not have what is
   * marked within 500 ms. `work` runs once more on the primary when the replica fails or refuses (400, 404): what it refers
   * to may only not have arrived yet.
   */
  read<T>(organizationId: string, mark: ReadMark | null, work: (source: ReadSource) => Promise<T>): Promise<T>;
  /** Runs what must not be late on the primary; on the replica only while the primary is away. */
  readLatest<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** Runs what may be late and belongs to no single organization: on the replica where there is one, else on the primary. */
  readAny<T>(work: (database: Database) => Promise<T>): Promise<T>;
  /** Succeeds when reads can be answered, by whichever server. @throws Failure `unavailable` when none answers. */
  ping(): Promise<void>;
  /** The kept setups of each server, by a name for their counts. */
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

const onlyPrimary = (primary: Database): ReadRouter => {
  const source = { database: primary, setups: createSetupCache(primary) };
  return {
    read: (_organizationId, _mark, work) => work(source),
    readLatest: (work) => work(primary),
    readAny: (work) => work(primary),
    setups: [{ name: 'setups', setups: source.setups }],
    ping: () => primary.ping(),
    close: () => primary.close(),
  };
};

/** The answer of the work, or null where the replica does not get what is marked in time. */
const readWhenVisible = async <T>(
  replica: Database,
  organizationId: string,
  mark: ReadMark,
  work: (database: Queries) => Promise<T>,
): Promise<{ readonly answer: T } | null> => {
  const deadlineMs = performance.now() + markWaitMs;
  for (let pauseMs = firstPauseMs; ; pauseMs *= 2) {
    // Question and read go to one connection: the address may stand for several replicas. None is held while waiting.
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

/** Reads on a replica; null where it does not get what is marked in time. */
const readsOf =
  (replica: Database, setups: SetupCache) =>
  <T>(
    organizationId: string,
    mark: ReadMark | null,
    work: (source: ReadSource) => Promise<T>,
  ): Promise<{ readonly answer: T } | null> => {
    const on = (database: Queries): Promise<T> => work({ database, setups: setups.on(database) });
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
      if (isReplicaAway()) return work(primarySource);
      let refusal: unknown;
      try {
        const found = await readReplica(organizationId, mark, work);
        if (found !== null) return found.answer;
      } catch (error) {
        if (mayBeOutdated(error)) {
          // A replica that is behind cannot say that a position does not exist: without the primary that is 503.
          if (!isPositionAhead(error)) refusal = error;
        }
        // A statement that takes too long here takes too long on the primary.
        else if (!isFailure(error, 'unavailable')) throw error;
        await replicaState.report(error);
        // The load of a replica that is only busy would be too much for the primary too.
        if (isPoolTimeout(error) && !isReplicaAway()) throw error;
      }
      return work(primarySource).catch(async (error: unknown) => {
        await primaryState.report(error);
        // Without the primary, the replica's answer is the best one available.
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
        if (!isReplicaAway()) throw error;
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

/** Makes the router of one process; without a replica every read goes to the primary, and marks mean nothing. */
export const createReadRouter = (options: ReadRouterOptions): ReadRouter =>
  options.replica === null ? onlyPrimary(options.primary) : withReplica(options.primary, options.replica, options);
