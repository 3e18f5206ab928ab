import { randomUUID } from 'node:crypto';
import { readCitusUrl, readTestStack, type TestDatabase, testServerUrls } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { administration } from '../src/administration.js';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { distribute } from '../src/distribution/distribute.js';
import { inspectDistribution } from '../src/distribution/inspect-distribution.js';
import { migrate } from '../src/migrate/migrate.js';
import { changeOf } from '@crm/domain';
import { accountCreate } from '../src/write/accounts.js';
import { makeEventPartitions, purgeExpiredEvents } from '../src/write/upkeep.js';
import { runWrite } from '../src/write/write.js';
import { inspectUpkeep } from '../src/inspect-upkeep.js';
import { completeRebuilds } from '../src/setup/refresh-records.js';
import { extendClaims, findDueWebhooks } from '../src/webhooks/deliveries.js';
import { readWebhookStates } from '../src/webhooks/states.js';
import { createMigratedDatabase, queryOnce } from './support/database.js';
import { exampleFunction, refusedExamples } from './support/refused-examples.js';

const isCitus = readCitusUrl() !== null;
let own: TestDatabase | null = null;
let url: string;
let database: AdministrationDatabase;

beforeAll(async () => {
  if (isCitus) own = await createMigratedDatabase();
  url = own?.url ?? readTestStack().databaseUrl;
  database = openAdministrationDatabase({ url, applicationName: 'distribution-test' });
});
afterAll(async () => {
  await database.close();
  await own?.drop();
});

(isCitus ? describe.skip : describe)('a database without Citus', () => {
  test('cannot be distributed, and the error says what to install', async () => {
    await expect(distribute(url)).rejects.toThrow(/has no extension citus.*CREATE EXTENSION citus/);
    expect(await inspectDistribution(database)).toBeNull();
  });

  test.skip('NOT RUN: the tests of a distributed database. Set CITUS_URL to a coordinator with workers', () =>
    undefined);
});

(isCitus ? describe : describe.skip)('a database that Citus distributes', () => {
  test('has all tenant tables colocated, and writes run on the workers', async () => {
    const facts = await inspectDistribution(database);
    expect(facts).toMatchObject({ apart: [], undelegated: [], isWriteDelegated: true });
    expect(facts?.workers.length).toBeGreaterThan(0);
    for (const { settings } of facts?.workers ?? []) expect(settings).not.toBeNull();
  });

  test('lets functions cache plans exactly if Citus reuses them, as 200 lookups on a worker show', async () => {
    const facts = await inspectDistribution(database);
    expect(facts?.cachesPlans).toBe(facts?.citus.reusesPlans);
    expect(facts?.citus.version).toMatch(/^\d+\.\d+\.\d+/);
  });

  test.each(refusedExamples)('refuses $body', async ({ body, refusal }) => {
    const { id: organizationId } = await administration(database).createOrganization({ name: 'Examples' });
    const write = accountCreate(changeOf('account', { domain: 'example.com' }), 'keep');
    await runWrite(database, organizationId, write, null);
    await queryOnce(url, exampleFunction(body));
    const called = queryOnce(url, 'SELECT example($1)', [organizationId]);
    await (refusal === null ? expect(called).resolves.toHaveLength(1) : expect(called).rejects.toThrow(refusal));
    await queryOnce(url, 'DROP FUNCTION example(uuid)');
  });

  test('answers the statements over all organizations', async () => {
    expect(await inspectUpkeep(database, 30)).toMatchObject({ unfinishedRebuilds: 0, expiredResults: 0 });
    expect(await readWebhookStates(database)).toEqual([]);
    expect(await findDueWebhooks(database)).toEqual([]);
    expect(await extendClaims(database, randomUUID(), [randomUUID()], 1_000)).toEqual([]);
    expect(await completeRebuilds(database, 2)).toBe(0);
  });

  test('is not changed when it is distributed again', async () => {
    expect(await distribute(url)).toEqual({ distributed: [], copied: [] });
  });

  test('gets a dropped write function back on all workers with the next migration', async () => {
    await queryOnce(url, 'DELETE FROM function_versions');
    await queryOnce(url, 'DROP FUNCTION write(uuid, text, jsonb, jsonb, jsonb)');
    expect(await migrate(url)).toEqual(['write functions']);
    expect(await inspectDistribution(database)).toMatchObject({ undelegated: [], isWriteDelegated: true });
  });

  test('gets a write function with another result and other parameters replaced on all servers', async () => {
    const name = 'delete_expired_results';
    await queryOnce(url, `DROP FUNCTION ${name}(uuid, int)`);
    const older = `CREATE FUNCTION ${name}(p_organization_id uuid, p_rows int) RETURNS bigint LANGUAGE sql AS 'SELECT 1::bigint'`;
    await queryOnce(url, older);
    await queryOnce(url, `UPDATE function_versions SET digest = 'older'`);
    expect(await migrate(url)).toEqual(['write functions']);
    const text = `SELECT pg_get_function_arguments(oid) || ' ' || prorettype::regtype AS found FROM pg_proc WHERE proname = $1`;
    for (const server of await testServerUrls(url)) {
      expect(await queryOnce(server, text, [name])).toEqual([
        { found: 'p_organization_id uuid, p_limit integer integer' },
      ]);
      expect(await queryOnce(server, `SELECT FROM pg_namespace WHERE nspname LIKE 'crm%'`)).toEqual([]);
    }
    expect(await inspectDistribution(database)).toMatchObject({ undelegated: [], isWriteDelegated: true });
  });

  test('creates one account for parallel creates of the same domain', async () => {
    const { id: organizationId } = await administration(database).createOrganization({ name: 'Races' });
    for (let round = 0; round < 15; round += 1) {
      const domain = `race-${round}.com`;
      const account = changeOf('account', { domain });
      const written = await Promise.all(
        Array.from({ length: 8 }, () => runWrite(database, organizationId, accountCreate(account, 'keep'), null)),
      );
      const rows = await database.query<{ id: string }>(organizationId, {
        text: 'SELECT id FROM accounts WHERE organization_id = $1 AND domain = $2',
        values: [domain],
      });
      expect(new Set(written.map(({ result }) => result.id))).toEqual(new Set(rows.map(({ id }) => id)));
      expect(written.filter(({ result }) => result.record_status === 'created')).toHaveLength(1);
    }
    const [log] = await database.query<{ events: string; position: string }>(organizationId, {
      text: `SELECT (SELECT count(*) FROM events WHERE organization_id = $1) AS events,
                    (SELECT position FROM event_heads WHERE organization_id = $1) AS position`,
      values: [],
    });
    expect(log).toEqual({ events: '15', position: '15' });
  });

  test('creates and drops partitions of the change log', async () => {
    const [newest] = await queryOnce<{ name: string }>(
      url,
      `SELECT max(relname) AS name FROM pg_class WHERE relname ~ '^events_\\d{4}_\\d\\d_\\d\\d$' AND relispartition`,
    );
    await queryOnce(url, `DROP TABLE ${newest?.name ?? ''}`);
    expect(await makeEventPartitions(database)).toBe(1);
    await queryOnce(
      url,
      `CREATE TABLE events_2020_01_06 PARTITION OF events FOR VALUES FROM ('2020-01-06Z') TO ('2020-01-13Z')`,
    );
    expect(await purgeExpiredEvents(database, 30)).toBe(1);
  });
});
