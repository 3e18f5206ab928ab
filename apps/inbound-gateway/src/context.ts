import { type Catalogs, createCatalogs, type Database } from '@crm/db';

/** The dependencies of every operation of the inbound gateway. */
export interface Context {
  readonly database: Database;
  readonly catalogs: Catalogs;
}

/** Creates the context of one process. */
export const createContext = (database: Database): Context => ({ database, catalogs: createCatalogs(database) });
