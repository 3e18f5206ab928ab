import pg from 'pg';

/** The writes of a server since it was created. */
export interface ServerCounts {
  /** The number of assigned transaction ids. */
  readonly ids: number;
  /** The bytes of the write-ahead log that are flushed to disk. */
  readonly walBytes: number;
}

/** Reads the counts without changing them. */
export const readCounts = async (databaseUrl: string): Promise<ServerCounts> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  try {
    const { rows } = await client.query<{ ids: string; wal: string }>(
      `SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS ids, (pg_current_wal_flush_lsn() - '0/0')::text AS wal`,
    );
    return { ids: Number(rows[0]?.ids), walBytes: Number(rows[0]?.wal) };
  } finally {
    await client.end();
  }
};

/** The difference between two readings. */
export const countsBetween = (before: ServerCounts, after: ServerCounts): ServerCounts => ({
  ids: after.ids - before.ids,
  walBytes: after.walBytes - before.walBytes,
});
