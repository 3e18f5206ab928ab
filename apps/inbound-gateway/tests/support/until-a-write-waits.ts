import type { AdministrationDatabase } from '@crm/db';
import { until } from '@crm/testing';

/** A connection that runs a transaction. */
export interface Connection {
  query(text: string, values?: unknown[]): Promise<{ readonly rows: readonly { readonly [name: string]: unknown }[] }>;
}

/** Polls until a statement returns as many rows. */
const untilRows = ({ pool }: AdministrationDatabase, count: number, text: string, values: unknown[] = []) =>
  until(async () => ((await pool.query(text, values)).rowCount ?? 0) >= count, 5);

/** Resolves once that many writes, or changes of the setup, wait for a lock that the transaction of a connection holds. */
export const untilAWriteWaitsFor = async (
  holder: Connection,
  database: AdministrationDatabase,
  count = 1,
): Promise<void> => {
  const { rows } = await holder.query('SELECT pg_backend_pid() AS pid');
  const text = `SELECT FROM pg_stat_activity WHERE query ~ '\\m(write|change_setup)\\(' AND $1::int = ANY (pg_blocking_pids(pid))`;
  await untilRows(database, count, text, [rows[0]?.['pid']]);
};

/**
 * Resolves once that many writes in the database wait for a lock. For a database that no other test uses. With Citus, the
 * database is the one on the worker.
 */
export const untilWritesWait = (database: AdministrationDatabase, count: number): Promise<void> =>
  untilRows(
    database,
    count,
    `SELECT FROM pg_stat_activity
      WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ '\\mwrite\\('`,
  );
