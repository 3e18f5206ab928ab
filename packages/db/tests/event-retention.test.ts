import { randomUUID } from 'node:crypto';
import { readCitusUrl, type TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { administration } from '../src/administration.js';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { changeOf } from '@crm/domain';
import { accountCreate } from '../src/write/accounts.js';
import { makeEventPartitions, purgeExpiredEvents, refreshStatistics } from '../src/write/upkeep.js';
import { runWrite } from '../src/write/write.js';
import { createMigratedDatabase } from './support/database.js';
import { eventLog } from './support/event-log.js';

let testDatabase: TestDatabase;
let database: AdministrationDatabase;
let organizationId: string;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = openAdministrationDatabase({
    url: testDatabase.url,
    applicationName: 'retention-test',
    maxConnections: 2,
  });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  ({ id: organizationId } = await administration(database).createOrganization({ name: 'Events' }));
});

const createAccount = async (domain: string): Promise<void> => {
  const write = accountCreate(changeOf('account', { domain }), 'keep');
  await runWrite(database, organizationId, write, null);
};

describe('retention', () => {
  const { eventsAfter, head } = eventLog(
    () => database.pool,
    () => organizationId,
  );
  /** Changes the date of all events of the organization up to a position. */
  const date = (position: number, occurredAt: string) =>
    database.pool.query('UPDATE events SET occurred_at = $3 WHERE organization_id = $1 AND position <= $2', [
      organizationId,
      position,
      occurredAt,
    ]);
  const partitions = async (): Promise<string[]> => {
    const text = `SELECT inhrelid::regclass::text AS name FROM pg_inherits WHERE inhparent = 'events'::regclass ORDER BY 1`;
    return (await database.pool.query<{ name: string }>(text)).rows.map(({ name }) => name);
  };

  test('drops whole partitions and moves the oldest position', async () => {
    for (const name of ['one.com', 'two.com', 'three.com']) await createAccount(name);
    await database.pool.query(
      `CREATE TABLE events_2020_01_06 PARTITION OF events FOR VALUES FROM ('2020-01-06 00:00Z') TO ('2020-01-13 00:00Z')`,
    );
    await date(2, '2020-01-07 12:00Z');
    expect(await partitions()).toContain('events_2020_01_06');
    expect(await purgeExpiredEvents(database, 30)).toBe(1);
    expect(await partitions()).not.toContain('events_2020_01_06');
    expect((await eventsAfter(0)).map(({ position }) => position)).toEqual([3]);
    expect(await head()).toEqual({ position: 3, oldest: 3 });
    expect(await purgeExpiredEvents(database, 30)).toBe(0);
  });

  test('deletes expired events of the default partition, and keeps those with a date in the future', async () => {
    for (const name of ['one.com', 'two.com']) await createAccount(name);
    await date(2, '2090-05-05 12:00Z');
    await date(1, '2019-05-05 12:00Z');
    await purgeExpiredEvents(database, 30);
    expect((await eventsAfter(0)).map(({ position }) => position)).toEqual([2]);
    expect(await head()).toEqual({ position: 2, oldest: 2 });
  });

  test('expires exactly the events before a Monday in UTC, and makes due what webhooks parked of them', async () => {
    for (const name of ['one.com', 'two.com', 'three.com']) await createAccount(name);
    const day = 86_400_000;
    const before = new Date(Date.now() - 30 * day);
    const monday = Date.UTC(
      before.getUTCFullYear(),
      before.getUTCMonth(),
      before.getUTCDate() - ((before.getUTCDay() + 6) % 7),
    );
    await date(2, new Date(monday).toISOString());
    await date(1, new Date(monday - 1).toISOString());
    const endpoint = randomUUID();
    await database.pool.query(
      `INSERT INTO webhook_endpoints (organization_id, id, url, secret, position, parked) VALUES ($1, $2, 'https://a.example', 's', 3, 2)`,
      [organizationId, endpoint],
    );
    await database.pool.query(
      `INSERT INTO webhook_parked (organization_id, endpoint_id, object, record_id, position, attempts)
       SELECT $1, $2, 'account', gen_random_uuid(), n, 9 FROM generate_series(1, 2) n`,
      [organizationId, endpoint],
    );
    await purgeExpiredEvents(database, 30);
    expect(await head()).toEqual({ position: 3, oldest: 2 });
    expect((await eventsAfter(0)).map(({ position }) => position)).toEqual([2, 3]);
    const due =
      'SELECT position::int, retry_at IS NOT NULL AS "isDue" FROM webhook_parked WHERE endpoint_id = $1 ORDER BY 1';
    expect((await database.pool.query(due, [endpoint])).rows).toEqual([
      { position: 1, isDue: true },
      { position: 2, isDue: false },
    ]);
    const claimable = 'SELECT retry_at IS NOT NULL AS "isDue" FROM webhook_endpoints WHERE id = $1';
    expect((await database.pool.query(claimable, [endpoint])).rows).toEqual([{ isDue: true }]);
    // Nothing is left to expire, so the next call changes nothing.
    await purgeExpiredEvents(database, 30);
    expect(await head()).toEqual({ position: 3, oldest: 2 });
  });

  test('keeps a partition as long as an organization can read one of its events', async () => {
    await createAccount('one.com');
    await database.pool.query(
      `CREATE TABLE events_2020_01_13 PARTITION OF events FOR VALUES FROM ('2020-01-13 00:00Z') TO ('2020-01-20 00:00Z')`,
    );
    await date(1, '2020-01-14 12:00Z');
    const drop = async () =>
      (await database.pool.query<{ n: number }>('SELECT drop_event_partitions(30) AS n')).rows[0]?.n;
    expect(await drop()).toBe(0);
    await database.pool.query('UPDATE event_heads SET oldest_position = 2 WHERE organization_id = $1', [
      organizationId,
    ]);
    expect(await drop()).toBe(1);
  });

  test('deletes up to ten thousand such events in one call, of all organizations together', async () => {
    const other = await administration(database).createOrganization({ name: 'Beside' });
    for (const id of [organizationId, other.id]) {
      await database.pool.query(
        `INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, bytes)
         SELECT $1, n, '2019-05-05 12:00Z', gen_random_uuid(), 'account.created', 'account', gen_random_uuid(), 1, 0
           FROM generate_series(1, 6000) n`,
        [id],
      );
      await database.pool.query('INSERT INTO event_heads VALUES ($1, 6001, 6001, 0)', [id]);
    }
    const count = async () => {
      const text = 'SELECT count(*)::int AS n FROM events WHERE organization_id IN ($1, $2)';
      return (await database.pool.query<{ n: number }>(text, [organizationId, other.id])).rows[0]?.n;
    };
    await purgeExpiredEvents(database, 30);
    expect(await count()).toBe(2_000);
    await purgeExpiredEvents(database, 30);
    expect(await count()).toBe(0);
  });

  test('creates the partitions of the next weeks once, even in parallel calls', async () => {
    const [last = ''] = (await partitions()).filter((name) => name !== 'events_default').slice(-1);
    await database.pool.query(`DROP TABLE ${last}`);
    const made = await Promise.all([makeEventPartitions(database), makeEventPartitions(database)]);
    expect(made.reduce((sum, count) => sum + count, 0)).toBe(1);
    expect(await partitions()).toContain(last);
    expect(await makeEventPartitions(database)).toBe(0);
  });
});

// With Citus, the statistics are on the workers, where only autovacuum collects them.
(readCitusUrl() === null ? describe : describe.skip)('statistics', () => {
  const tablesWith = async (value: string): Promise<string[]> => {
    const text = `SELECT DISTINCT tablename AS name FROM pg_stats s WHERE schemaname = 'public' AND s::text ~* $1 ORDER BY 1`;
    return (await database.pool.query<{ name: string }>(text, [value])).rows.map(({ name }) => name);
  };

  test('of a new database stay, and later ones lose the values of erased people', async () => {
    expect(await refreshStatistics(database)).toBe(0);
    const change = async (text: string) => {
      const connection = await database.pool.connect();
      try {
        await connection.query(text, [organizationId]);
        // Otherwise the server counts changed rows with a delay.
        await connection.query('SELECT pg_stat_force_next_flush()');
      } finally {
        connection.release();
      }
    };
    await change(`INSERT INTO contacts (organization_id, id, email, first_name, search_text, created_at, updated_at)
      SELECT $1, gen_random_uuid(), n || '@a.com', CASE WHEN n > 1 THEN 'Canaria' END, '', now(), now() FROM generate_series(1, 9) n`);
    await change(`INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, record, bytes)
      SELECT $1, n, now() + make_interval(days => 7 * n % 14), gen_random_uuid(), '', '', $1, 1, '{"name": "Canaria"}', 0 FROM generate_series(1, 9) n`);
    expect(await refreshStatistics(database)).toBe(0);
    await database.pool.query('ANALYZE');
    expect(await tablesWith('canar')).toEqual(['contacts']);
    await change(`DELETE FROM contacts WHERE organization_id = $1 AND first_name = 'Canaria'`);
    expect(await refreshStatistics(database)).toBe(1);
    expect(await tablesWith('canar')).toEqual([]);
  });
});
