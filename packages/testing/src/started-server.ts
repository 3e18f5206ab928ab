/** What global setup started for this run. */
export interface StartedServer {
  url: string;
  /** Ends it and removes its data. */
  stop(): Promise<void>;
}

const store = globalThis as { crmStartedServer?: StartedServer };

/** Jest loads setup and teardown apart from each other, so that only the global object is common to both. */
export function keepForTeardown(started: StartedServer): void {
  store.crmStartedServer = started;
}

/** Null when the run used a server that was there already. */
export function takeStartedServer(): StartedServer | null {
  const started = store.crmStartedServer ?? null;
  delete store.crmStartedServer;
  return started;
}
