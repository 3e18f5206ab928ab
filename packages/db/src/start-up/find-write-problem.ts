import type { Database } from '../database.js';
import { writeProblemOf } from './judge-server.js';
import { writeColumns, type WriteFacts } from './read-facts.js';

/** Ends the connection that it was found on. */
class WritesRefused extends Error {}

/**
 * Why nothing can be written now; null if writes work. After a failover, a pool may still have connections to the former primary. One that
 * leads to a read-only server is closed, because a new one may reach another server.
 *
 * @throws Failure `unavailable` if the database does not respond
 */
export const findWriteProblem = async (database: Database): Promise<string | null> => {
  try {
    await database.withConnection(async (connection) => {
      const problem = writeProblemOf(await connection.queryServer<WriteFacts>(`SELECT ${writeColumns}`, []));
      if (problem !== null) throw new WritesRefused(problem);
    });
    return null;
  } catch (error) {
    if (error instanceof WritesRefused) return error.message;
    throw error;
  }
};
