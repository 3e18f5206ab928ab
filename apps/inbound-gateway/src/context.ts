import { type SetupCache, createSetupCache, type Database } from '@crm/db';

/** The dependencies of every operation of the inbound gateway. */
export interface Context {
  readonly database: Database;
  readonly setups: SetupCache;
}

/** Creates the context of one process. */
export const createContext = (database: Database): Context => ({ database, setups: createSetupCache(database) });
