/** @needs postgresql */
import { decodeReadMark, type ReadMark } from '@crm/domain';
import { type ReplicatedPostgres, startReplicatedPostgres, until } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { type MarkState, markState, readMarkText } from '../src/read-mark.js';
import { migrate } from '../src/migrate/migrate.js';

let servers: ReplicatedPostgres;
let primary: AdministrationDatabase;
let replica: AdministrationDatabase;

beforeAll(async () => {
  servers = await startReplicatedPostgres();
  await migrate(servers.primaryUrl);
  primary = openAdministrationDatabase({
    url: servers.primaryUrl,
    applicationName: 'read-marks-test',
    maxConnections: 50,
    poolWaitMs: 20_000,
  });
  replica = openAdministrationDatabase({ url: servers.replicaUrl, applicationName: 'read-marks-test' });
  await primary.pool.query('CREATE TABLE seen (name text PRIMARY KEY)');
});
afterAll(async () => {
  await primary.close();
  await replica.close();
  await servers.stop();
});

const takeMark = async (client: pg.Pool | pg.PoolClient): Promise<ReadMark> => {
  const { rows } = await client.query<{ mark: string }>('SELECT read_mark() AS mark');
  const mark = decodeReadMark(readMarkText(rows[0]?.mark ?? ''));
  if (mark === null) throw new Error('The mark is invalid');
  return mark;
};

const stateOf = (database: AdministrationDatabase, mark: ReadMark): Promise<MarkState> =>
  database.withConnection((connection) => markState(connection, mark));

const isSeen = async (name: string): Promise<boolean> =>
  (await replica.pool.query('SELECT FROM seen WHERE name = $1', [name])).rowCount === 1;

const untilVisible = async (mark: ReadMark): Promise<void> => {
  await until(async () => (await stateOf(replica, mark)) === 'visible');
};

/** Writes WAL until the last record ends exactly at the end of a page. @returns the mark of that position */
const takeMarkAtPageEnd = async (): Promise<ReadMark> => {
  const pageBytes = 8192n;
  const headerBytes = 24n;
  const emit = (bytes: number) =>
    primary.pool.query('SELECT pg_logical_emit_message(false, $1, $2)', ['', 'x'.repeat(bytes)]);
  for (;;) {
    const mark = await takeMark(primary.pool);
    if (mark.kind === 'position' && mark.value % pageBytes === headerBytes) return mark;
    const left = Number(pageBytes - (mark.value % pageBytes));
    // A record without text has 56 bytes. Text makes it longer, rounded up to a multiple of eight.
    await emit(left > 1_000 ? 500 : left < 56 ? 100 : left - 56);
  }
};

const inTransaction = async (work: (client: pg.PoolClient) => Promise<void>): Promise<void> => {
  const client = await primary.pool.connect();
  try {
    await client.query('BEGIN');
    await work(client);
  } finally {
    client.release();
  }
};

/** Runs work while the replica receives WAL without replaying it. */
const whileReplayPauses = async (work: () => Promise<void>): Promise<void> => {
  await replica.pool.query('SELECT pg_wal_replay_pause()');
  await until(async () => {
    const { rows } = await replica.pool.query<{ state: string }>('SELECT pg_get_wal_replay_pause_state() AS state');
    return rows[0]?.state === 'paused';
  });
  try {
    await work();
  } finally {
    await replica.pool.query('SELECT pg_wal_replay_resume()');
  }
};

describe('R18: a mark', () => {
  test('of a transaction is absent until that transaction commits, even if later transactions are visible', async () => {
    await inTransaction(async (early) => {
      await early.query(`INSERT INTO seen VALUES ('early')`);
      const mark = await takeMark(early);
      expect(mark.kind).toBe('transaction');
      expect(await stateOf(primary, mark)).toBe('absent');
      await primary.pool.query(`INSERT INTO seen VALUES ('late')`);
      // Waits until the replica sees a later transaction as committed. The early one is still in progress.
      await untilVisible(await takeMark(primary.pool));
      expect(await isSeen('late')).toBe(true);
      expect(await stateOf(replica, mark)).toBe('absent');
      await whileReplayPauses(async () => {
        await early.query('COMMIT');
        expect(await stateOf(primary, mark)).toBe('visible');
        expect(await stateOf(replica, mark)).toBe('absent');
        expect(await isSeen('early')).toBe(false);
      });
      await untilVisible(mark);
      expect(await isSeen('early')).toBe(true);
    });
  });

  test('of a transaction that only read covers the writes of other transactions that it read', async () => {
    await whileReplayPauses(async () => {
      await primary.pool.query(`INSERT INTO seen VALUES ('of another')`);
      const mark = await takeMark(primary.pool);
      expect(mark.kind).toBe('position');
      expect(await stateOf(primary, mark)).toBe('visible');
      expect(await stateOf(replica, mark)).toBe('absent');
      expect(await isSeen('of another')).toBe(false);
    });
  });

  test('at the end of a WAL page is visible as soon as the last record before it is replayed', async () => {
    const mark = await takeMarkAtPageEnd();
    await untilVisible(mark);
    // Nothing was written since, so no record after the position was replayed.
    expect((await takeMark(primary.pool)).value).toBe(mark.value);
  });

  test('of a write in a subtransaction names the whole transaction', async () => {
    await inTransaction(async (client) => {
      await client.query('SAVEPOINT a');
      await client.query(`INSERT INTO seen VALUES ('inner')`);
      const mark = await takeMark(client);
      await client.query('RELEASE a');
      await client.query('COMMIT');
      await untilVisible(mark);
      expect(await isSeen('inner')).toBe(true);
    });
  });

  test('of a transaction that is too old for the commit log is visible', async () => {
    const mark = await takeMark(primary.pool);
    expect(await stateOf(replica, { ...mark, kind: 'transaction', value: 3n })).toBe('visible');
  });
});
