import { type OrganizationSetup, loadSetup } from './organization-setup.js';
import { mayBeOutdated } from './outdated.js';
import type { Queries } from './database.js';

const maxAgeMs = 1_000;
const maxOrganizations = 10_000;

interface Entry {
  readonly setup: Promise<OrganizationSetup>;
  readonly loadedAtMs: number;
}

/** Organizations' setups, kept for at most a second so that requests do not each ask the database for them. */
export interface SetupCache {
  /** How often a setup was at hand, and how often it was loaded, so far. */
  readonly counts: { readonly hits: number; readonly misses: number };
  /**
   * Runs `work` with the organization's setup. Where it refuses the request with a setup that was kept, it runs once
   * more with a fresh one: what was set up a moment ago counts at once. So `work` must refuse before it writes.
   */
  use<T>(organizationId: string, work: (setup: OrganizationSetup) => Promise<T>): Promise<T>;
  /** Drops an organization's setup, as after a change of its set-up by this process. */
  forget(organizationId: string): void;
  /**
   * The same cache for work that holds a connection: what it loads, it loads on that. Else requests that hold all connections
   * of an organization would wait for one more.
   */
  on(connection: Queries): SetupCache;
}

/** Makes the cache of one process. */
export const createSetupCache = (database: Queries): SetupCache => {
  const entries = new Map<string, Entry>();
  const counts = { hits: 0, misses: 0 };

  const load = (from: Queries, organizationId: string): Entry => {
    counts.misses++;
    const entry = { setup: loadSetup(from, organizationId), loadedAtMs: performance.now() };
    // The oldest go first: a Map keeps the order of insertion.
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
      const kept = entries.get(organizationId);
      const startedAtMs = performance.now();
      const isKept = kept !== undefined && startedAtMs - kept.loadedAtMs < maxAgeMs;
      if (isKept) counts.hits++;
      const entry = isKept ? kept : load(from, organizationId);
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
