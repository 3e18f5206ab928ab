import { type CursorCodec, createCursorCodec } from '@crm/domain';
import { type Catalogs, createCatalogs, type Database } from '@crm/db';

/** What every operation of the read gateway works with. */
export interface Context {
  readonly database: Database;
  readonly catalogs: Catalogs;
  readonly cursors: CursorCodec;
}

/** Makes the context of one process. */
export const createContext = (database: Database, cursorSecrets: readonly [string, ...string[]]): Context => ({
  database,
  catalogs: createCatalogs(database),
  cursors: createCursorCodec(cursorSecrets),
});
