/** The server that global setup started for this run. */
export interface StartedServer {
  url: string;
  /** Stops it and removes its data. */
  stop(): Promise<void>;
}

const store = globalThis as { crmStartedServer?: StartedServer };

/** Jest loads setup and teardown separately, so they share only the global object. */
export function keepForTeardown(started: StartedServer): void {
  store.crmStartedServer = started;
}

/** Null if the run used an existing server. */
export function takeStartedServer(): StartedServer | null {
  const started = store.crmStartedServer ?? null;
  delete store.crmStartedServer;
  return started;
}
