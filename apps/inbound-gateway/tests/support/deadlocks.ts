import type { TestGateway } from './gateway.js';

/**
 * The number of deadlocks that the server has counted in a test's database. A retry hides a deadlock from the caller, yet each one
 * costs a second. Ends all other connections, because server processes report their counts when they end.
 */
export const countDeadlocks = async (gateway: TestGateway): Promise<number> => {
  await gateway.rows(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE $1::uuid IS NOT NULL AND datname = current_database() AND pid <> pg_backend_pid()`);
  const [row] = await gateway.rows<{ deadlocks: number }>(
    `SELECT deadlocks::int FROM pg_stat_database WHERE $1::uuid IS NOT NULL AND datname = current_database()`,
  );
  return row?.deadlocks ?? Number.NaN;
};
