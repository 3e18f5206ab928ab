import { ApiError, encodeReadMark, isFailure, type ReadMark } from '@crm/domain';
import type { Queries } from './database.js';
import { loadSetup, type OrganizationSetup } from './organization-setup.js';

const maxAgeMs = 1_000;
const maxOrganizations = 10_000;

interface Entry {
  readonly setup: Promise<OrganizationSetup>;
  readonly loadedAtMs: number;
  /** The write that the setup was loaded after, if a read asked for one. */
  readonly mark: string | null;
}

/** Whether outdated data may have made a request fail: a cached setup, or a replica that does not have a new record yet. */
export const mayBeOutdated = (error: unknown): boolean =>
  isFailure(error, 'not_found') ||
  isFailure(error, 'position_ahead') ||
  (error instanceof ApiError && (error.code === 'validation_failed' || error.code === 'not_found'));

/** Caches the setups of organizations for at most a second, so that not every request reads its setup from the database. */
export interface SetupCache {
  /** The numbers of cache hits and loads so far. */
  readonly counts: { readonly hits: number; readonly misses: number };
  /**
   * Runs `work` with the organization's setup. If `work` rejects the request with a cached setup, it runs once more with a fresh one, so
   * that changes of the setup take effect at once. Therefore `work` must validate before it writes.
   */
  use<T>(organizationId: string, work: (setup: OrganizationSetup) => Promise<T>): Promise<T>;
  /** The setup as the database has it now, also for later calls of `use`. It is read as a whole only if it has changed. */
  reload(organizationId: string): Promise<OrganizationSetup>;
  /** Drops an organization's setup from the cache. Called if this process may have changed it. */
  forget(organizationId: string): void;
  /**
   * The same cache for work that holds a connection. It loads setups on that connection. Otherwise, requests that hold all connections
   * of an organization would each wait for one more connection.
   * @param mark a write that the server has and that the setup must show; a setup in the cache may be older
   */
  on(connection: Queries, mark: ReadMark | null): SetupCache;
}

/** Creates the cache of one process. @param now - the clock of the process, in milliseconds */
export const createSetupCache = (database: Queries, now: () => number = () => performance.now()): SetupCache => {
  const entries = new Map<string, Entry>();
  const counts = { hits: 0, misses: 0 };

  const load = (from: Queries, organizationId: string, mark: string | null): Entry => {
    counts.misses++;
    const known = entries.get(organizationId)?.setup.catch(() => null) ?? null;
    const setup = Promise.resolve(known).then((found) => loadSetup(from, organizationId, found));
    const entry = { setup, loadedAtMs: now(), mark };
    // Evicts the oldest entries first, because a Map iterates in insertion order.
    entries.delete(organizationId);
    for (const oldest of entries.keys()) {
      if (entries.size < maxOrganizations) break;
      entries.delete(oldest);
    }
    entries.set(organizationId, entry);
    entry.setup.catch(() => {
      if (entries.get(organizationId) === entry) entries.delete(organizationId);
    });
    return entry;
  };

  const cacheOn = (from: Queries, mark: string | null): SetupCache => ({
    counts,
    on: (connection, readMark) => cacheOn(connection, readMark === null ? null : encodeReadMark(readMark)),
    reload: (organizationId) => load(from, organizationId, mark).setup,
    forget: (organizationId) => void entries.delete(organizationId),
    use: async (organizationId, work) => {
      const cached = entries.get(organizationId);
      const startedAtMs = now();
      const isYoung = cached !== undefined && startedAtMs - cached.loadedAtMs < maxAgeMs;
      const isFresh = isYoung && (mark === null || cached.mark === mark);
      if (isFresh) counts.hits++;
      const entry = isFresh ? cached : load(from, organizationId, mark);
      try {
        return await work(await entry.setup);
      } catch (error) {
        if (!mayBeOutdated(error) || entry.loadedAtMs >= startedAtMs) throw error;
        const current = entries.get(organizationId);
        const fresh =
          current !== undefined && current.loadedAtMs >= startedAtMs ? current : load(from, organizationId, mark);
        return work(await fresh.setup);
      }
    },
  });

  return cacheOn(database, null);
};
