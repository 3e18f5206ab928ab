import { type OrganizationSetup, loadSetup } from './organization-setup.js';
import { mayBeOutdated } from './outdated.js';
import type { Queries } from './database.js';

const maxAgeMs = 1_000;
const maxOrganizations = 10_000;

interface Entry {
  readonly setup: Promise<OrganizationSetup>;
  readonly loadedAtMs: number;
}

/** Caches the setups of organizations for at most a second, so that not every request reads its setup from the database. */
export interface SetupCache {
  /** The numbers of cache hits and loads so far. */
  readonly counts: { readonly hits: number; readonly misses: number };
  /**
   * Runs `work` with the organization's setup. If `work` rejects the request with a cached setup, it runs once more with a fresh one, so
   * that changes of the setup take effect at once. Therefore `work` must validate before it writes.
   */
  use<T>(organizationId: string, work: (setup: OrganizationSetup) => Promise<T>): Promise<T>;
  /** Drops an organization's setup from the cache. Called after this process changed it. */
  forget(organizationId: string): void;
  /**
   * The same cache for work that holds a connection. It loads setups on that connection. Otherwise, requests that hold all connections
   * of an organization would each wait for one more connection.
   */
  on(connection: Queries): SetupCache;
}

/** Creates the cache of one process. */
export const createSetupCache = (database: Queries): SetupCache => {
  const entries = new Map<string, Entry>();
  const counts = { hits: 0, misses: 0 };

  const load = (from: Queries, organizationId: string): Entry => {
    counts.misses++;
    const entry = { setup: loadSetup(from, organizationId), loadedAtMs: performance.now() };
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

  const cacheOn = (from: Queries): SetupCache => ({
    counts,
    on: cacheOn,
    forget: (organizationId) => void entries.delete(organizationId),
    use: async (organizationId, work) => {
      const cached = entries.get(organizationId);
      const startedAtMs = performance.now();
      const isFresh = cached !== undefined && startedAtMs - cached.loadedAtMs < maxAgeMs;
      if (isFresh) counts.hits++;
      const entry = isFresh ? cached : load(from, organizationId);
      try {
        return await work(await entry.setup);
      } catch (error) {
        if (!mayBeOutdated(error) || entry.loadedAtMs >= startedAtMs) throw error;
        const current = entries.get(organizationId);
        const fresh = current !== undefined && current.loadedAtMs >= startedAtMs ? current : load(from, organizationId);
        return work(await fresh.setup);
      }
    },
  });

  return cacheOn(database);
};
