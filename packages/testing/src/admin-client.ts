import pg from 'pg';

/** Runs work on a connection to the server's own database, and closes it whatever happens. */
export async function withAdminClient<Result>(
  url: string,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client({ connectionString: url });
  // Without a listener a server that goes away would end the test process with no word on which test ran.
  client.on('error', () => undefined);
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
