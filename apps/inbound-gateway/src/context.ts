import { type Catalogs, createCatalogs, type Database } from '@crm/db';

/** What every operation of the inbound gateway works with. */
export interface Context {
  readonly database: Database;
  readonly catalogs: Catalogs;
}

/** Makes the context of one process. */
export const createContext = (database: Database): Context => ({ database, catalogs: createCatalogs(database) });
