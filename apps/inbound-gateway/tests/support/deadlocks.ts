import type { TestGateway } from './gateway.js';

/**
 * The number of deadlocks that the server of the organization's writes has counted in a test's database. A retry hides a deadlock from
 * the caller, yet each one costs a second. Ends all other connections, because server processes report their counts when they end.
 */
export const countDeadlocks = async (gateway: TestGateway): Promise<number> => {
  const { pool } = gateway.writeDatabase;
  await pool.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`);
  const { rows } = await pool.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.deadlocks ?? Number.NaN;
};
