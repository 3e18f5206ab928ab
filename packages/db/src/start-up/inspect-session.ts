import type { Database } from '../database.js';
import { isPooled, losesPreparedStatements } from './inspect-pooler.js';
import { findPoolerFaults } from './judge-server.js';
import { readSessionFacts } from './read-facts.js';

/** The faults of sessions through a pooler, each with advice; null for no fault. */
export type SessionFaults = ReturnType<typeof findPoolerFaults>;

/** Checks whether a pooler loses time limits or prepared statements. Gateways check the same before they serve. */
export const inspectSession = async (database: Database): Promise<SessionFaults> => {
  return findPoolerFaults({
    ...(await database.withConnection((connection) => readSessionFacts((text) => connection.queryServer(text, [])))),
    losesPreparedStatements: isPooled(database.url) && (await losesPreparedStatements(database.url)),
  });
};
