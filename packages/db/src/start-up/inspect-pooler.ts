import { randomUUID } from 'node:crypto';
import pg from 'pg';

const timeoutMs = 2_000;
/** A busy pooler may give the second client another server connection, once or twice. */
const attempts = 5;

/** Whether a database is reached through a pooler that sends no session settings. */
export const isPooled = (url: string): boolean => new URL(url).searchParams.get('pgbouncer') === 'true';

/** Whether the server knows a statement by the name the client gave it. PgBouncer from 1.21 on gives it another one. */
const keepsName = async (client: pg.Client): Promise<boolean> => {
  const name = `crm-check-${randomUUID()}`;
  // In a transaction all statements have the same server connection.
  await client.query('BEGIN');
  await client.query({ name, text: 'SELECT 1' });
  const { rowCount } = await client.query('SELECT FROM pg_prepared_statements WHERE name = $1', [name]);
  if (rowCount === 1) await client.query(`DEALLOCATE "${name}"`);
  await client.query('COMMIT');
  return rowCount === 1;
};

const processOf = async (client: pg.Client): Promise<number> =>
  (await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')).rows[0]?.pid ?? 0;

/** Whether two clients get the same server connection in turn, as in transaction mode. */
const shareConnections = async (one: pg.Client, other: pg.Client): Promise<boolean> => {
  for (let attempt = 0; attempt < attempts; attempt += 1) {
    if ((await processOf(one)) === (await processOf(other))) return true;
  }
  return false;
};

/**
 * Whether prepared statements fail through a pooler: it gives a statement of one client to a server connection that another
 * client has prepared its own on, under the same name or not at all.
 *
 * @throws Error when two connections cannot be had
 */
export const losesPreparedStatements = async (url: string): Promise<boolean> => {
  const clients = [0, 1].map(
    () =>
      new pg.Client({
        connectionString: url,
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
    // A pooler that does not answer does not say goodbye either.
    for (const client of clients) client.end().catch(() => undefined);
  }
};
