import type { Database, Queries } from '../database.js';
import { readMarkText } from '../read-mark.js';

/** The end of an organization's log. */
export interface LatestPosition {
  /** 0 before the first event. */
  readonly position: number;
  readonly logId: string;
  /** The state that a replica must have reached so that its records are not older than the position. */
  readonly readMark: string;
}

/** On a replica, the mark is its replay position, because the function `read_mark` works only on a primary. */
const markHere = `CASE WHEN pg_is_in_recovery()
  THEN (SELECT c.system_identifier FROM pg_control_system() c) || ' position ' || (pg_last_wal_replay_lsn() - '0/0'::pg_lsn)
  ELSE read_mark() END`;

/** Reads the position of the newest event. The mark is taken after the snapshot, so it covers the position. */
export const readLatestPosition = async (database: Queries, organizationId: string): Promise<LatestPosition> => {
  const text = `
    SELECT coalesce(max(h.position), 0) AS position, log_id() AS "logId", ${markHere} AS "readMark"
      FROM event_heads h WHERE h.organization_id = $1`;
  const statement = { text, values: [] };
  const [row] = await database.query<{ position: string; logId: string; readMark: string }>(organizationId, statement);
  if (row === undefined) throw new Error('The statement returned no head of the log');
  return { position: Number(row.position), logId: row.logId, readMark: readMarkText(row.readMark) };
};

/** How many bytes of events an organization has written. */
export interface ChangeLogSize {
  readonly organizationId: string;
  /** The bytes of all its events until now, as the API returns them. Expired and erased events still count. */
  readonly bytes: number;
}

/** Lists the organizations with the most bytes of events, at most `limit`. Reads one row for each organization. */
export const listLargestChangeLogs = (database: Database, limit = 20): Promise<ChangeLogSize[]> =>
  database.queryServer<ChangeLogSize>({
    text: `SELECT h.organization_id AS "organizationId", h.bytes::float8 AS bytes FROM event_heads h ORDER BY h.bytes DESC LIMIT ${limit}`,
  });
