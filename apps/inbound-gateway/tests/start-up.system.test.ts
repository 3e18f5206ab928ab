import { applyRoles, migrate, openAdministrationDatabase } from '@crm/db';
import { generateApiKey } from '@crm/domain';
import {
  createTestDatabase,
  startGatewayProcess,
  testRoleNames,
  until,
  urlForRole,
  type GatewayProcess,
  type TestDatabase,
} from '@crm/testing';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';

const readyMessage = 'Ready';

let database: TestDatabase;
let processes: GatewayProcess[];

beforeEach(async () => {
  processes = [];
  database = await createTestDatabase(() => Promise.resolve(), 'empty');
});
afterEach(async () => {
  await Promise.all(processes.map(({ stop }) => stop()));
  await database.drop();
});

const start = async (gateway: 'read' | 'inbound', environment: Record<string, string>, page: '/livez' | '/readyz') => {
  const common = { DATABASE_URL: database.url, CURSOR_SECRETS: 'a secret that only the tests know' };
  const started = await startGatewayProcess(`${gateway}-gateway`, { ...common, ...environment }, page);
  processes.push(started);
  return started;
};

const ask = async (url: string, path: string, headers: Record<string, string> = {}) => {
  const response = await fetch(`${url}${path}`, { headers });
  return { status: response.status, message: ((await response.json()) as { message: string }).message };
};

/** Asks for the readiness until the answer contains a text, which it must before long. */
const untilItSays = async (url: string, text: string): Promise<void> => {
  await until(async () => (await ask(url, '/readyz')).message.includes(text), 50);
  expect((await ask(url, '/readyz')).status).toBe(text === readyMessage ? 200 : 503);
};

const execute = async (text: string): Promise<void> => {
  const options = { url: database.url, applicationName: 'start-up-test', maxConnections: 1 };
  const { pool, close } = openAdministrationDatabase(options);
  await pool.query(text);
  await close();
};

const ofThisDatabase = (setting: string): string =>
  `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET ${setting}', current_database()); END $$`;

describe.each(['read', 'inbound'] as const)('the %s gateway', (gateway) => {
  test('waits for the migrations and names them, serves no request meanwhile, and is ready once they are applied', async () => {
    const { url } = await start(gateway, {}, '/livez');
    await untilItSays(url, ': run crm migrate');
    expect((await ask(url, '/readyz')).message).toMatch(/lacks .*0001_init.*: run crm migrate$/);
    expect(await ask(url, '/livez')).toMatchObject({ status: 200 });
    const key = { 'x-api-key': generateApiKey() };
    expect(await ask(url, '/v1/pipelines', key)).toMatchObject({ status: 503 });
    await migrate(database.url);
    await untilItSays(url, readyMessage);
  });

  test('R30: serves tables of a newer version unless they need a newer gateway', async () => {
    await migrate(database.url);
    await execute(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, started_at, applied_steps_count)
       VALUES ('newer', '', '29990101000000_newer', now(), now(), 1)`,
    );
    const { stop } = await start(gateway, {}, '/readyz');
    await stop();
    await execute(`INSERT INTO gateway_requirements VALUES ('29990101000000_newer', '29990101000000_newer')`);
    const { url } = await start(gateway, {}, '/livez');
    await untilItSays(url, 'too old for the database: 29990101000000_newer');
  });
});

test('a gateway whose role lacks a right waits and names the right', async () => {
  await migrate(database.url);
  await applyRoles(database.url, testRoleNames());
  await execute(`REVOKE UPDATE ON notes FROM ${testRoleNames().inbound}`);
  const { url } = await start('inbound', { DATABASE_URL: urlForRole(database.url, 'inbound') }, '/livez');
  await untilItSays(url, 'lacks rights (UPDATE on notes): run crm roles apply');
  await applyRoles(database.url, testRoleNames());
  await untilItSays(url, readyMessage);
});

describe('R3: a database that can lose answered writes', () => {
  beforeEach(async () => {
    await migrate(database.url);
    await execute(ofThisDatabase('synchronous_commit = off'));
  });

  test('ends the inbound gateway with code 78 and says what to do, before it writes anything', async () => {
    const started = start('inbound', { ALLOW_UNSAFE_DURABILITY: '' }, '/readyz');
    await expect(started).rejects.toThrow(
      /code 78[^]*synchronous_commit off: acknowledged writes could be lost[^]*ALTER SYSTEM/,
    );
  });

  test('is accepted with ALLOW_UNSAFE_DURABILITY, and by the read gateway', async () => {
    await start('inbound', { ALLOW_UNSAFE_DURABILITY: '1' }, '/readyz');
    await start('read', { ALLOW_UNSAFE_DURABILITY: '' }, '/readyz');
  });
});
