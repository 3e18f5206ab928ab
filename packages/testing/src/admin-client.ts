import pg from 'pg';

/** Runs work on a connection to the server's `postgres` database and always closes it. */
export async function withAdminClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  // Without a listener, losing the server would end the test process without naming the running test.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

/** Runs statements one after the other. */
export const runStatements = (url: string, ...statements: readonly string[]): Promise<void> =>
  withAdminClient(url, async (client) => {
    for (const statement of statements) await client.query(statement);
  });

/** The address of another database of a server. */
export const databaseUrl = (serverUrl: string, database: string): string => {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
};
