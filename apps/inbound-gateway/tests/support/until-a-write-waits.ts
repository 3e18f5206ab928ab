import { setTimeout as sleep } from 'node:timers/promises';
import type { AdministrationDatabase } from '@crm/db';

/** A connection that runs a transaction. */
export interface Connection {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly { readonly [name: string]: unknown }[] }>;
}

/** Resolves once a write waits for a lock that the transaction of a connection holds. */
export const untilAWriteWaitsFor = async (holder: Connection, { pool }: AdministrationDatabase): Promise<void> => {
  const { rows } = await holder.query('SELECT pg_backend_pid() AS pid');
  const text = `SELECT FROM pg_stat_activity WHERE query ~ '\\mwrite\\(' AND $1::int = ANY (pg_blocking_pids(pid))`;
  while (((await pool.query(text, [rows[0]?.['pid']])).rowCount ?? 0) === 0) await sleep(5);
};

/**
 * Resolves once that many writes in the database wait for a lock. For a database that no other test uses. With Citus, the
 * database is the one on the worker.
 */
export const untilWritesWait = async ({ pool }: AdministrationDatabase, count: number): Promise<void> => {
  const text = `SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ '\\mwrite\\('`;
  while (((await pool.query(text)).rowCount ?? 0) < count) await sleep(5);
};
