import { ApiError } from '@crm/domain';
import { type Catalog, loadCatalog } from './catalog.js';
import type { Database } from './database.js';

const maxAgeMs = 1_000;
const maxOrganizations = 10_000;

interface Entry {
  readonly catalog: Promise<Catalog>;
  readonly loadedAtMs: number;
}

/** Organizations' catalogs, kept for at most a second so that requests do not each ask the database for them. */
export interface Catalogs {
  /**
   * Runs `work` with the organization's catalog. Where it refuses the request with a catalog that was kept, it runs once
   * more with a fresh one: what was set up a moment ago counts at once. So `work` must refuse before it writes.
   */
  use<T>(organizationId: string, work: (catalog: Catalog) => Promise<T>): Promise<T>;
}

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 400 || error.status === 404);

/** Makes the cache of one process. */
export const createCatalogs = (database: Database): Catalogs => {
  const entries = new Map<string, Entry>();

  const load = (organizationId: string): Entry => {
    const entry = { catalog: loadCatalog(database, organizationId), loadedAtMs: performance.now() };
    // The oldest go first: a Map keeps the order of insertion.
    entries.delete(organizationId);
    for (const oldest of entries.keys()) {
      if (entries.size < maxOrganizations) break;
      entries.delete(oldest);
    }
    entries.set(organizationId, entry);
    entry.catalog.catch(() => {
      if (entries.get(organizationId) === entry) entries.delete(organizationId);
    });
    return entry;
  };

  return {
    use: async (organizationId, work) => {
      const kept = entries.get(organizationId);
      const startedAtMs = performance.now();
      const entry = kept !== undefined && startedAtMs - kept.loadedAtMs < maxAgeMs ? kept : load(organizationId);
      try {
        return await work(await entry.catalog);
      } catch (error) {
        if (!isRefusal(error) || entry.loadedAtMs >= startedAtMs) throw error;
        const current = entries.get(organizationId);
        const fresh = current !== undefined && current.loadedAtMs >= startedAtMs ? current : load(organizationId);
        return work(await fresh.catalog);
      }
    },
  };
};
