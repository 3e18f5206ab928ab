import pg from 'pg';

/** What a server has written, since it was made. */
export interface ServerCounts {
  /** Transaction ids that were assigned. */
  readonly ids: number;
  /** Bytes of the write-ahead log that were flushed to disk. */
  readonly walBytes: number;
}

/** Reads the counts without adding to them. */
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

/** What came to be between two readings. */
export const countsBetween = (before: ServerCounts, after: ServerCounts): ServerCounts => ({
  ids: after.ids - before.ids,
  walBytes: after.walBytes - before.walBytes,
});
