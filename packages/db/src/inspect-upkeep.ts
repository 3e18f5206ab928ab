import type { Database } from './database.js';

/** What the upkeep of the inbound gateways has left undone for hours. */
export interface OverdueUpkeep {
  /** Organizations with stored results that expired more than three hours ago. */
  readonly expiredResults: number;
  /** Whether the change log has no partition for the next week. */
  readonly lacksPartition: boolean;
  /** Partitions of which every event expired more than three hours ago; 0 if events are retained forever. */
  readonly expiredPartitions: number;
  /** Rebuilds of stored records that have not ended an hour after the change of the setup. */
  readonly unfinishedRebuilds: number;
}

const overdueSql = `
  SELECT (SELECT count(*)::int FROM event_heads h WHERE EXISTS (
            SELECT 1 FROM idempotency_keys k WHERE k.organization_id = h.organization_id AND k.expires_at < now() - interval '3 hours')) AS "expiredResults",
         to_regclass(to_char(event_week(now() + interval '7 days') AT TIME ZONE 'UTC', '"events_"YYYY_MM_DD')) IS NULL AS "lacksPartition",
         (SELECT count(*)::int FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
           WHERE i.inhparent = 'events'::regclass AND c.relname ~ '^events_\\d{4}_\\d\\d_\\d\\d$'
             AND to_date(substr(c.relname, 8), 'YYYY_MM_DD') + 7
                 <= (event_week(now() - make_interval(days => nullif($1::int, 0), hours => 3)) AT TIME ZONE 'UTC')::date) AS "expiredPartitions",
         (SELECT count(*)::int FROM record_rebuilds r WHERE r.outdated_at < now() - interval '1 hour') AS "unfinishedRebuilds"`;

/**
 * Finds what the upkeep has left undone.
 * @param retentionDays - `EVENT_RETENTION_DAYS`; 0 means forever
 */
export const inspectUpkeep = (database: Database, retentionDays: number): Promise<OverdueUpkeep> =>
  database.withConnection((connection) => connection.queryServer(overdueSql, [retentionDays]));
