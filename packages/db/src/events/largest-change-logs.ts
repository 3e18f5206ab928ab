import type { Database } from '../database.js';

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
