import { setTimeout as sleep } from 'node:timers/promises';
import type { AdministrationDatabase } from '@crm/db';

/** Resolves once that many writes in the database wait for a lock. With Citus, the database is the one on the worker. */
export const untilWritesWait = async ({ pool }: AdministrationDatabase, count: number): Promise<void> => {
  const text = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ '\\mwrite\\('`;
  while (((await pool.query(text)).rowCount ?? 0) < count) await sleep(5);
};

/** Resolves once a write in the database waits for a lock. */
export const untilAWriteWaits = (database: AdministrationDatabase): Promise<void> => untilWritesWait(database, 1);
