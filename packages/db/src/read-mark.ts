import { encodeReadMark, Failure, type ReadMark } from '@crm/domain';
import type { Connection } from './database.js';

/** The mark that the function `read_mark` of the database answers, as `X-Read-After` carries it. */
export const readMarkText = (answer: string): string => {
  const [cluster = '', kind, value = ''] = answer.split(' ');
  if (kind !== 'transaction' && kind !== 'position') throw new Error(`Not an answer of read_mark: ${answer}`);
  return encodeReadMark({ cluster: BigInt(cluster), kind, value: BigInt(value) });
};

/**
 * What a server says of a mark: everything marked can be read on it, or not yet, or the mark is of another cluster, whose
 * transactions and positions mean nothing here; or the server cannot decide.
 */
export type MarkState = 'visible' | 'absent' | 'foreign';

/**
 * The id is compared before its state is asked for, since the server refuses to speak of ids that it has not seen. While it
 * recovers, its snapshots do not list transactions in progress, so that `pg_visible_in_snapshot` would take them for done; the
 * commit log is right. It forgets those that every snapshot sees.
 */
const isCommitted = `CASE WHEN $2::text::xid8 < pg_snapshot_xmax(pg_current_snapshot())
  THEN coalesce(pg_xact_status($2::text::xid8), 'committed') = 'committed' ELSE false END`;

/**
 * If a WAL record ends exactly at the end of a page, the primary's position is after the header of the next page, while a replica
 * that has everything reports the position before that header. A header has at most 40 bytes, so positions in those are equal.
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

/** Asks the server of a connection whether later statements on it see the marked write. */
export const markState = async (connection: Connection, { cluster, kind, value }: ReadMark): Promise<MarkState> => {
  const values = [String(cluster), String(value)];
  try {
    return (await connection.queryServer<{ state: MarkState }>(statements[kind], values)).state;
  } catch (error) {
    // A server that recovers in a way of its own does not know these functions.
    if (error instanceof Failure) throw error;
    return 'foreign';
  }
};
