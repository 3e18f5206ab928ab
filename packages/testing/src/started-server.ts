import type { LocalPostgres } from '@crm/local-postgres';

/** What global setup started for this run. */
export interface StartedServer {
  server: LocalPostgres;
  folder: string;
}

const KEY = Symbol.for('crm.testing.startedServer');
const store = globalThis as { [KEY]?: StartedServer };

/** Jest loads setup and teardown apart from each other, so that only the global object is common to both. */
export function keepForTeardown(started: StartedServer): void {
  store[KEY] = started;
}

/** Null when the run used a server that was there already. */
export function takeStartedServer(): StartedServer | null {
  const started = store[KEY] ?? null;
  delete store[KEY];
  return started;
}
