/** @needs postgresql */
import { migrate, openAdministrationDatabase } from '@crm/db';
import {
  findFreePort,
  type GatewayProcess,
  type ReplicatedPostgres,
  reportFigure,
  startGatewayProcess,
  startReplicatedPostgres,
  type TestOrganization,
  until,
  untilServed,
} from '@crm/testing';
import { createTestOrganization } from '@crm/testing/suites';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { runCrm } from './support/run-crm.js';

let servers: ReplicatedPostgres;
let organization: TestOrganization;
const processes: GatewayProcess[] = [];

/** Runs statements as an operator does, each by itself. */
const execute = async (url: string, ...statements: readonly string[]): Promise<void> => {
  const { pool, close } = openAdministrationDatabase({ url, applicationName: 'failover-test', maxConnections: 1 });
  for (const statement of statements) await pool.query(statement);
  await close();
};

beforeEach(async () => {
  servers = await startReplicatedPostgres();
  await migrate(servers.primaryUrl);
  const database = openAdministrationDatabase({ url: servers.primaryUrl, applicationName: 'failover-test' });
  organization = await createTestOrganization(database);
  await database.close();
  const standby = openAdministrationDatabase({ url: servers.replicaUrl, applicationName: 'failover-test' });
  await until(async () => {
    const { rows } = await standby.pool.query(`SELECT to_regclass('api_keys') AS keys`);
    if ((rows as { keys: string | null }[])[0]?.keys === null) return false;
    return ((await standby.pool.query('SELECT FROM api_keys')).rowCount ?? 0) > 0;
  }, 100);
  await standby.close();
}, 120_000);
afterEach(async () => {
  await Promise.all(processes.splice(0).map((process) => process.stop()));
  await servers.stop();
});

const start = async (url: string, page: '/livez' | '/readyz' = '/readyz'): Promise<GatewayProcess> => {
  const started = await startGatewayProcess('inbound-gateway', { DATABASE_URL: url, RATE_LIMIT_INBOUND: '0' }, page);
  processes.push(started);
  return started;
};

const startWorker = async (url: string): Promise<GatewayProcess> => {
  const port = String(await findFreePort());
  const key = Buffer.alloc(32, 'key').toString('base64');
  const environment = { DATABASE_URL: url, WEBHOOK_SECRET_KEY: key, ADMIN_PORT: port, PORT: port };
  const started = await startGatewayProcess('webhook-worker', environment, '/livez');
  processes.push(started);
  return started;
};

/** The text of `/readyz`. */
const readinessOf = async ({ url }: GatewayProcess): Promise<string> => (await fetch(`${url}/readyz`)).text();

const untilItSays = (process: GatewayProcess, text: string): Promise<void> =>
  until(async () => (await readinessOf(process)).includes(text), 100);

const send = async ({ url }: GatewayProcess, path: string, body: object): Promise<number> => {
  const response = await fetch(`${url}/v1/inbound/${path}`, {
    method: 'POST',
    headers: { 'x-api-key': organization.key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  await response.arrayBuffer();
  return response.status;
};
const create = (gateway: GatewayProcess, domain: string): Promise<number> => send(gateway, 'accounts', { domain });

/** The findings of `crm doctor` that are problems. */
const problemsAt = async (url: string): Promise<readonly string[]> => {
  const { stdout } = await runCrm(['doctor', '--json'], { DATABASE_URL: url });
  const { findings } = JSON.parse(stdout) as { findings: { check: string; status: string }[] };
  return findings.filter(({ status }) => status === 'problem').map(({ check }) => check);
};

describe('processes that write', () => {
  test('are not ready on a standby, and doctor says so, until it is promoted', async () => {
    const processesOnStandby = [await start(servers.replicaUrl, '/livez'), await startWorker(servers.replicaUrl)];
    for (const process of processesOnStandby) {
      await untilItSays(process, 'is a standby, which takes no writes: DATABASE_URL must lead to the primary');
      // Log lines are up to 100 ms late.
      await until(() => process.output().includes('"reason":"The database is a standby'), 100);
    }
    const [gateway] = processesOnStandby as [GatewayProcess, GatewayProcess];
    expect(await create(gateway, 'standby.example')).toBe(503);
    expect(await problemsAt(servers.replicaUrl)).toContain('primary');
    await servers.killPrimary();
    await servers.promoteReplica();
    for (const process of processesOnStandby) await untilItSays(process, 'Ready');
    expect(await create(gateway, 'promoted.example')).toBe(200);
    expect(await problemsAt(servers.replicaUrl)).not.toContain('primary');
  }, 120_000);

  test('become unready while they run when the server takes no writes any more, and ready again', async () => {
    const running = [await start(servers.primaryUrl), await startWorker(servers.primaryUrl)];
    for (const process of running) await untilItSays(process, 'Ready');
    const set = (value: string) =>
      execute(
        servers.primaryUrl,
        `ALTER SYSTEM SET default_transaction_read_only = ${value}`,
        'SELECT pg_reload_conf()',
      );
    await set('on');
    for (const process of running) await untilItSays(process, 'turn default_transaction_read_only off');
    expect(await problemsAt(servers.primaryUrl)).toContain('writes');
    await set('off');
    for (const process of running) await untilItSays(process, 'Ready');
  }, 120_000);
});

test.each(['repeatable read', 'serializable'])(
  'parallel writes work if the default isolation is %s',
  async (level) => {
    await execute(servers.primaryUrl, `ALTER DATABASE postgres SET default_transaction_isolation = '${level}'`);
    const gateway = await start(servers.primaryUrl);
    // Deals that share names, accounts and contacts, so that their writes wait for each other.
    const bodies = Array.from({ length: 40 }, (_, index) => ({
      pipeline_id: organization.pipeline.id,
      opportunity: { name: `Deal ${index % 4}` },
      related_objects: { account_domain: `a${index % 3}.example`, primary_contact_email: `x${index % 5}@a.example` },
    }));
    const statuses = await Promise.all(
      bodies.map(async (body) => {
        const served = await untilServed(async () => ({ status: await send(gateway, 'opportunities', body) }));
        return served.status;
      }),
    );
    expect(statuses).toEqual(bodies.map(() => 200));
    expect(gateway.output()).not.toContain('"40001"');
  },
  120_000,
);

test('R3: no acknowledged write is lost in a failover with synchronous_standby_names', async () => {
  await execute(servers.primaryUrl, "ALTER SYSTEM SET synchronous_standby_names = '*'", 'SELECT pg_reload_conf()');
  const gateway = await start(servers.primaryUrl);
  const acknowledged: string[] = [];
  let isOver = false;
  const write = async (caller: number): Promise<void> => {
    for (let count = 0; !isOver; count += 1) {
      const domain = `caller${caller}-${count}.example`;
      if ((await create(gateway, domain)) === 200) acknowledged.push(domain);
    }
  };
  const writing = Promise.all(Array.from({ length: 8 }, (_, caller) => write(caller)));
  await until(() => acknowledged.length >= 100, 100);
  await servers.killPrimary();
  isOver = true;
  await writing;
  await servers.promoteReplica();
  await execute(servers.replicaUrl, "ALTER SYSTEM SET synchronous_standby_names = ''", 'SELECT pg_reload_conf()');
  const database = openAdministrationDatabase({ url: servers.replicaUrl, applicationName: 'failover-test' });
  const text = 'SELECT domain FROM accounts WHERE domain = ANY ($1)';
  const { rows } = await database.pool.query<{ domain: string }>(text, [acknowledged]);
  await database.close();
  const found = new Set(rows.map(({ domain }) => domain));
  const lost = acknowledged.filter((domain) => !found.has(domain));
  reportFigure('R3', `acknowledged writes of ${acknowledged.length} lost in a failover`, lost.length, 0);
  expect(lost).toEqual([]);
}, 120_000);
