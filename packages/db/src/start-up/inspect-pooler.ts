import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { clientUrl } from '../connection/server-address.js';

const timeoutMs = 2_000;
/** Several attempts are needed because a busy pooler may give the second client another server connection. */
const attempts = 5;

/** Whether the server has a prepared statement under the client's name. PgBouncer from 1.21 on renames it. */
const keepsName = async (client: pg.Client): Promise<boolean> => {
  const name = `crm-check-${randomUUID()}`;
  // Within a transaction, all statements use the same server connection.
  await client.query('BEGIN');
  await client.query({ name, text: 'SELECT 1' });
  const { rowCount } = await client.query('SELECT FROM pg_prepared_statements WHERE name = $1', [name]);
  if (rowCount === 1) await client.query(`DEALLOCATE "${name}"`);
  await client.query('COMMIT');
  return rowCount === 1;
};

const processOf = async (client: pg.Client): Promise<number> =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;

/** Whether two clients use the same server connection in turn, as in transaction mode. */
const shareConnections = async (one: pg.Client, other: pg.Client): Promise<boolean> => {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if ((await processOf(one)) === (await processOf(other))) return true;
  }
  return false;
};

/**
 * Whether prepared statements fail through a pooler. They fail if the pooler shares server connections between clients without tracking
 * statements. A client can then execute a statement on a connection that does not have it, or that has another client's statement with the
 * same name.
 *
 * @throws Error if two connections cannot be opened
 */
export const losesPreparedStatements = async (url: string): Promise<boolean> => {
  const clients = [0, 1].map(
    () =>
      new pg.Client({
        connectionString: clientUrl(url),
        application_name: 'crm-check',
        connectionTimeoutMillis: timeoutMs,
        query_timeout: timeoutMs,
      }),
  );
  const [one, other] = clients as [pg.Client, pg.Client];
  for (const client of clients) client.on('error', () => undefined);
  try {
    await Promise.all(clients.map((client) => client.connect()));
    return (await keepsName(one)) && (await shareConnections(one, other));
  } finally {
    // Not awaited, because a pooler that does not respond does not close connections either.
    for (const client of clients) client.end().catch(() => undefined);
  }
};
