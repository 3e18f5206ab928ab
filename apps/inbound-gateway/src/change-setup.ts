import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Catalog, changeSetup, loadCatalog, refreshOutdatedRecords, type SetupChange } from '@crm/db';
import { ApiError, validationError } from '@crm/domain';
import type { Caller } from '@crm/http';
import type { Context } from './context.js';
import { readAfterHeader } from './read-after-header.js';

/** The response waits this long for stored records to be rebuilt; the rebuild then continues without it. */
const rebuildWaitMs = 2_000;

/** Opportunities that one call moves to another stage or owner. */
export const maxMoved = 10_000;

/** What a set-up operation does. */
export interface SetupWork<Data> {
  /** Makes the changes from the set-up as it is. Refuses before anything is written. */
  readonly changes: (catalog: Catalog) => readonly SetupChange[] | Promise<readonly SetupChange[]>;
  /** The message and data, from the set-up as it is after the changes. */
  readonly answer: (catalog: Catalog) => { readonly message: string; readonly data: Data };
}

/** What was found of an id in the path. @throws ApiError `not_found` for nothing */
export const orNotFound = <T>(found: T | undefined): T => {
  if (found === undefined) throw new ApiError('not_found');
  return found;
};

/** Refuses an update that names nothing to change. */
export const requireChange = (body: Readonly<Record<string, unknown>>): void => {
  const isChange = Object.values(body).some((value) => value !== undefined);
  if (!isChange) throw validationError({ '': 'names nothing to change' });
};

/**
 * Changes the set-up and answers from it as it is then. The set-up is read for the call, not from the cache, and this process
 * forgets what it had cached.
 */
export const runSetupChange = async <Data>(
  { database, catalogs }: Context,
  { organizationId, apiKeyId }: Caller,
  { changes, answer }: SetupWork<Data>,
) => {
  const found = await changes(await loadCatalog(database, organizationId));
  const origin = { actor: `API key ${apiKeyId}`, osUser: null, commandId: randomUUID() };
  try {
    const { readMark, outdatedAt } = await changeSetup(database, organizationId, found, origin);
    if (outdatedAt !== null) {
      // A rebuild that fails or is cut off is completed by `finishRebuilds`.
      const rebuilt = refreshOutdatedRecords(database, organizationId, outdatedAt).catch(() => undefined);
      await Promise.race([rebuilt, sleep(rebuildWaitMs, undefined, { ref: false })]);
    }
    const reply = answer(await loadCatalog(database, organizationId));
    return { ...reply, headers: readAfterHeader(readMark) };
  } finally {
    catalogs.forget(organizationId);
  }
};
