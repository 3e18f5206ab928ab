import { encodeReadMark, Failure, type ReadMark } from '@crm/domain';
import type { Connection } from './database.js';

/** Converts the result of the SQL function `read_mark` to the value of `X-Read-After`. */
export const readMarkText = (answer: string): string => {
  const [cluster = '', kind, value = ''] = answer.split(' ');
  if (kind !== 'transaction' && kind !== 'position') throw new Error(`Not a result of read_mark: ${answer}`);
  return encodeReadMark({ cluster: BigInt(cluster), kind, value: BigInt(value) });
};

/**
 * The state of a marked write on a server:
 * - `visible`: statements on the server see the write
 * - `absent`: the server does not have the write yet
 * - `foreign`: the mark is of another cluster, so its transaction or position means nothing here; or the server cannot read its state
 */
export type MarkState = 'visible' | 'absent' | 'foreign';

/**
 * Compares the transaction id first, because `pg_xact_status` raises an error for ids in the future. `pg_visible_in_snapshot` does not
 * work during recovery: snapshots then do not list transactions in progress, so it would treat them as committed. `pg_xact_status` reads
 * the commit log and returns null for transactions so old that every snapshot sees them.
 */
const isCommitted = `CASE WHEN $2::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
  THEN coalesce(pg_xact_status($2::text::xid8), 'committed') = 'committed' ELSE false END`;

/**
 * If a WAL record ends exactly at the end of a page, the primary's position is after the header of the next page. A replica that has
 * replayed everything reports the position before that header. A header has at most 40 bytes, so a position within the first 40 bytes of
 * a page is rounded down to the start of the page.
 */
const reachedFrom = `$2::text::numeric
  - CASE WHEN mod($2::text::numeric, current_setting('wal_block_size')::int) <= 40
         THEN mod($2::text::numeric, current_setting('wal_block_size')::int) ELSE 0 END`;

const isReached = `(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_insert_lsn() END)
  - '0/0'::pg_lsn >= ${reachedFrom}`;

const stateSql = (condition: string): string => `
  SELECT CASE WHEN c.system_identifier <> $1::bigint THEN 'foreign' WHEN ${condition} THEN 'visible' ELSE 'absent' END AS state
    FROM pg_control_system() c`;

const statements = { transaction: stateSql(isCommitted), position: stateSql(isReached) };

/** Asks a server whether later statements on this connection see the marked write. */
export const markState = async (connection: Connection, { cluster, kind, value }: ReadMark): Promise<MarkState> => {
  const values = [String(cluster), String(value)];
  try {
    return (await connection.queryServer<{ state: MarkState }>(statements[kind], values)).state;
  } catch (error) {
    // Some PostgreSQL-compatible servers do not have these functions.
    if (error instanceof Failure) throw error;
    return 'foreign';
  }
};
