import { createServer as createHttpServer } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { migrate, openAdministrationDatabase } from '@crm/db';
import { createTestDatabase, findFreePort, startGatewayProcesses } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';

import { runCrm } from './run-crm.js';
import { createAdministeredDatabase, type AdministeredDatabase } from './support/administered-database.js';

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly advice?: string;
}

let database: AdministeredDatabase;
let url: string;
beforeAll(async () => {
  database = await createAdministeredDatabase();
  url = database.database.url;
});
afterAll(() => database.drop());

const good = { CURSOR_SECRETS: 'a secret that only the tests know' };

const examine = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
  const { exitCode, stdout, stderr } = await runCrm(['doctor', '--json', ...args], {
    DATABASE_URL: url,
    ...good,
    ...env,
  });
  expect(stderr).toBe('');
  const { ok, findings } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  // Ignores two findings of every test: the test server runs with fsync off, and its role is a superuser.
  const standing = findings.filter(({ check }) => check === 'durability' || check === 'role');
  const others = findings.filter(
    ({ check, status }) => status !== 'ok' && !standing.some((one) => one.check === check),
  );
  for (const { status, advice } of findings)
    expect(typeof advice === 'string').toBe(['problem', 'warning'].includes(status));
  return { exitCode, ok, standing, findings, others };
};

/** Creates a database and runs SQL that makes it unhealthy. */
const withDatabase = async (sql: string, use: (address: string) => Promise<void>): Promise<void> => {
  const { url: own, drop } = await createTestDatabase(() => Promise.resolve(), 'empty');
  const opened = openAdministrationDatabase({ url: own, applicationName: 'test', maxConnections: 1 });
  try {
    if (sql !== '') await opened.pool.query(sql);
    await opened.close();
    await use(own);
  } finally {
    await drop();
  }
};

describe('crm doctor', () => {
  it('finds nothing else in a healthy installation with running gateways', async () => {
    const [gateway] = await startGatewayProcesses(
      1,
      new URL('../../../apps/inbound-gateway/dist/main.js', import.meta.url).pathname,
      { DATABASE_URL: url, LOG_LEVEL: 'error' },
    );
    const { others, findings } = await examine({}, '--inbound-url', gateway?.url ?? '');
    await gateway?.stop();
    expect(others).toEqual([]);
    expect(findings.map(({ check }) => check)).toEqual(
      expect.arrayContaining(['read-gateway configuration', 'database', 'version', 'migrations', 'inbound gateway']),
    );
  });

  it('finds a server with fsync off and a superuser, and exits with 1', async () => {
    const { exitCode, ok, standing } = await examine({});
    expect(standing).toEqual([
      expect.objectContaining({ check: 'role', status: 'warning' }),
      expect.objectContaining({ check: 'durability', status: 'problem', message: expect.stringContaining('fsync') }),
    ]);
    expect({ exitCode, ok }).toEqual({ exitCode: 1, ok: false });
  });

  it('names every variable that a gateway would refuse', async () => {
    const { others } = await examine({ CURSOR_SECRETS: '', PORT: 'http', RATE_LIMIT_LIST: '-1' });
    const read = others.filter(({ check }) => check === 'read-gateway configuration').map(({ message }) => message);
    expect(read.map((message) => message.split(' ')[0]).sort()).toEqual(['CURSOR_SECRETS', 'PORT', 'RATE_LIMIT_LIST']);
    expect(others.filter(({ check }) => check === 'inbound-gateway configuration')).toHaveLength(2);
  });

  it('finds a database without migrations', async () => {
    await withDatabase('', async (address) => {
      const { others } = await examine({ DATABASE_URL: address });
      expect(others.map(({ check }) => check).sort()).toEqual(['extensions', 'migrations']);
      expect(others.find(({ check }) => check === 'migrations')?.advice).toBe('Run: crm migrate');
    });
  });

  it('R30: reports a database of a newer version, and one that is too new', async () => {
    const { url: own, drop } = await createTestDatabase(async (address) => {
      await migrate(address);
    }, 'cli');
    const opened = openAdministrationDatabase({ url: own, applicationName: 'test', maxConnections: 1 });
    const newer = '29990101000000_newer';
    try {
      await opened.pool.query(
        `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('newer', '', '${newer}', now())`,
      );
      const { others } = await examine({ DATABASE_URL: own });
      expect(others).toEqual([
        expect.objectContaining({ check: 'migrations', status: 'warning', message: expect.stringContaining(newer) }),
      ]);
      const migrated = await runCrm(['migrate'], { DATABASE_URL: own });
      expect(migrated).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`newer version (${newer})`) });

      await opened.pool.query(`INSERT INTO gateway_requirements VALUES ('${newer}', '${newer}')`);
      const tooNew = await examine({ DATABASE_URL: own });
      expect(tooNew.others).toEqual([
        expect.objectContaining({ check: 'migrations', status: 'problem', message: expect.stringContaining(newer) }),
      ]);
      for (const command of [['migrate'], ['org', 'list']]) {
        const { exitCode, stderr } = await runCrm(command, { DATABASE_URL: own });
        expect(exitCode).not.toBe(0);
        expect(stderr).toContain(`${newer} needs a version with ${newer}`);
      }
    } finally {
      await opened.close();
      await drop();
    }
  });

  it('finds pools larger than the connection limit, and commits that do not wait for the disk', async () => {
    const spoil = `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET synchronous_commit = off', current_database());
      EXECUTE format('ALTER DATABASE %I CONNECTION LIMIT 15', current_database()); END $$`;
    await withDatabase(spoil, async (address) => {
      const { others, standing } = await examine({ DATABASE_URL: address });
      expect(others).toContainEqual(
        expect.objectContaining({
          check: 'connections',
          status: 'problem',
          message: expect.stringContaining('20 of 15'),
        }),
      );
      expect(standing.at(-1)?.message).toContain('synchronous_commit');
    });
  });

  it('finds an unreachable server, and does not print its password', async () => {
    const port = await findFreePort();
    const { others } = await examine({ DATABASE_URL: `postgres://crm:hunter2@127.0.0.1:${port}/crm` });
    expect(others).toEqual([
      expect.objectContaining({
        check: 'database',
        status: 'problem',
        message: expect.stringContaining('ECONNREFUSED'),
      }),
    ]);
    expect(JSON.stringify(others)).not.toContain('hunter2');
  });

  it('finds a wrong password', async () => {
    const wrong = new URL(url);
    wrong.password = 'wrong';
    const { others } = await examine({ DATABASE_URL: wrong.href });
    expect(others).toEqual([
      expect.objectContaining({ check: 'database', message: expect.stringContaining('password') }),
    ]);
  });

  it('finds a replica URL that is not a replica', async () => {
    const { others } = await examine({ READ_DATABASE_URL: url });
    expect(others).toEqual([expect.objectContaining({ check: 'replica role', status: 'problem' })]);
  });

  test.each([
    ['+PONG\r\n', 'ok'],
    ['-NOAUTH Authentication required.\r\n', 'problem'],
    ['-ERR invalid password\r\n+PONG\r\n', 'problem'],
  ])('reports a Redis that answers %j as %s', async (answer, status) => {
    const server = createServer((socket) => void socket.once('data', () => socket.write(answer)));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { findings } = await examine({ REDIS_URL: `redis://127.0.0.1:${port}` });
    server.close();
    expect(findings.find(({ check }) => check === 'redis')).toMatchObject({ status });
  });

  it('finds an unreachable Redis and unreachable gateways', async () => {
    const port = await findFreePort();
    const address = `http://127.0.0.1:${port}`;
    const { others } = await examine({ REDIS_URL: `redis://:secret@127.0.0.1:${port}` }, '--read-url', address);
    expect(others.map(({ check }) => check)).toEqual(['redis', 'read gateway']);
  });

  it('finds a gateway whose database is unreachable', async () => {
    const server = createHttpServer((_request, response) => response.writeHead(503).end());
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const { others } = await examine({}, '--read-url', `http://127.0.0.1:${port}`);
    server.close();
    expect(others).toEqual([
      expect.objectContaining({ check: 'read gateway', message: expect.stringContaining('503') }),
    ]);
  });

  it('recognizes the local stack by its database, checks its gateways, and accepts other options', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'crm-doctor-'));
    const port = await findFreePort();
    const address = `http://127.0.0.1:${port}`;
    const ids = { api_key: 'crm_live_x', pipeline_id: 'p', organization_id: 'o' };
    const demo = { read_url: address, inbound_url: `${address}/inbound`, database_url: url, ...ids };
    await writeFile(join(folder, 'demo.json'), JSON.stringify(demo));
    const run = (...args: string[]) => runCrm(['doctor', ...args], { CRM_DATA_DIR: folder, DATABASE_URL: url });
    const { stdout } = await run();
    expect(stdout).toMatch(/^ok {7}read-gateway configuration/m);
    expect(stdout).toMatch(/^ok {7}role: the superuser of the local stack$/m);
    expect(stdout).toContain(`inbound gateway: ${address}/inbound does not answer`);
    expect((await run('--read-url', 'http://127.0.0.1:1')).stdout).toContain('read gateway: http://127.0.0.1:1 does');
    await rm(folder, { recursive: true });
  });

  it('prints findings as lines of text', async () => {
    const { stdout, exitCode } = await runCrm(['doctor'], { DATABASE_URL: url });
    expect(stdout).toMatch(/^problem {2}read-gateway configuration: CURSOR_SECRETS is required\n {9}See /m);
    expect(stdout).toMatch(/^ok {7}version: PostgreSQL \d+\.\d+$/m);
    expect(exitCode).toBe(1);
  });
});
