import type { Database } from '../database.js';
import { isPooled, losesPreparedStatements } from './inspect-pooler.js';
import { findPoolerFaults } from './judge-server.js';
import { readSessionFacts } from './read-facts.js';

/** What is wrong with the sessions of an address, and what to do; null where nothing is. */
export type SessionFaults = ReturnType<typeof findPoolerFaults>;

/** Checks what a pooler in front of a database takes away, as a gateway does before it serves. */
export const inspectSession = async (database: Database): Promise<SessionFaults> => {
  return findPoolerFaults({
    ...(await database.withConnection((connection) => readSessionFacts((text) => connection.queryServer(text, [])))),
    losesPreparedStatements: isPooled(database.url) && (await losesPreparedStatements(database.url)),
  });
};
