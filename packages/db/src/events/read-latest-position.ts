import type { Queries } from '../database.js';
import { readMarkText } from '../read-mark.js';

/** Where the log of an organization ends. */
export interface LatestPosition {
  /** 0 while there has been no event. */
  readonly position: number;
  readonly logId: string;
  /** What a replica must have so that its records are not older than the position. */
  readonly readMark: string;
}

/** A replica has everything up to the position that it has replayed; it does not know the primary's transactions. */
const markHere = `CASE WHEN pg_is_in_recovery()
  THEN (SELECT c.system_identifier FROM pg_control_system() c) || ' position ' || (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)
  ELSE read_mark() END`;

/** Reads the position of the newest event. The mark is made after the snapshot, so that it covers the position. */
export const readLatestPosition = async (database: Queries, organizationId: string): Promise<LatestPosition> => {
  const text = `
    SELECT coalesce(max(h.position), 0) AS position, log_id() AS "logId", ${markHere} AS "readMark"
      FROM event_heads h WHERE h.organization_id = $1`;
  const statement = { text, values: [], isPrepared: true };
  const [row] = await database.query<{ position: string; logId: string; readMark: string }>(organizationId, statement);
  if (row === undefined) throw new Error('The head of the log came without a row');
  return { position: Number(row.position), logId: row.logId, readMark: readMarkText(row.readMark) };
};
