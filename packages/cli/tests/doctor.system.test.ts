import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, readTestStack } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it, test } from '@jest/globals';
import { checkRedis } from '../src/doctor/check-network.js';
import { runCrm } from './run-crm.js';
import { createAdministeredDatabase, type AdministeredDatabase } from './support/administered-database.js';

interface Finding {
  readonly check: string;
  readonly status: string;
  readonly message: string;
  readonly advice?: string;
}

const stack = () => {
  const { databaseUrl: url, ...gateways } = readTestStack();
  return { url, ...gateways };
};

const examine = async (env: Readonly<Record<string, string>>, ...args: string[]) => {
  const settings = { DATABASE_URL: stack().url, CURSOR_SECRETS: 'a secret that only the tests know', ...env };
  const { exitCode, stdout, stderr } = await runCrm(['doctor', '--json', ...args], settings);
  expect(stderr).toBe('');
  const { ok, findings: all } = JSON.parse(stdout) as { ok: boolean; findings: Finding[] };
  // No worker serves the webhooks of other test files.
  const findings = all.filter(({ check }) => check !== 'webhooks');
  // Ignores two findings of every test: the test server runs with fsync off, and its role is a superuser.
  const standing = findings.filter(({ check }) => check === 'durability' || check === 'role');
  const others = findings.filter((finding) => finding.status !== 'ok' && !standing.includes(finding));
  for (const { status, advice } of findings)
    expect(typeof advice === 'string').toBe(['problem', 'warning'].includes(status));
  return { exitCode, ok, standing, findings, others };
};

/** Listens on a free port until `use` has ended. */
const listening = async <T>(server: Server | HttpServer, use: (port: number) => Promise<T>): Promise<T> => {
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  try {
    return await use((server.address() as AddressInfo).port);
  } finally {
    server.close();
  }
};

const finding = (check: string, status: string, text = ''): unknown =>
  expect.objectContaining({ check, status, message: expect.stringContaining(text) as unknown });

describe('crm doctor', () => {
  it('finds only fsync off and a superuser in an installation with running gateways, and exits with 1', async () => {
    const { readUrl, inboundUrl } = stack();
    const found = await examine({}, '--read-url', readUrl, '--inbound-url', inboundUrl);
    expect(found.others).toEqual([]);
    const checks = ['read-gateway configuration', 'database', 'version', 'migrations', 'read gateway'];
    expect(found.findings.map(({ check }) => check)).toEqual(expect.arrayContaining([...checks, 'inbound gateway']));
    expect(found.standing).toEqual([finding('role', 'warning'), finding('durability', 'problem', 'fsync')]);
    expect(found).toMatchObject({ exitCode: 1, ok: false });
  });

  it('names every variable that a gateway would refuse, and finds a wrong password', async () => {
    const wrong = new URL(stack().url);
    wrong.password = 'wrong';
    const env = { DATABASE_URL: wrong.href, CURSOR_SECRETS: '', PORT: 'http', RATE_LIMIT_LIST: '-1' };
    const { others } = await examine(env);
    const read = others.filter(({ check }) => check === 'read-gateway configuration').map(({ message }) => message);
    expect(read.map((message) => message.split(' ')[0]).sort()).toEqual(['CURSOR_SECRETS', 'PORT', 'RATE_LIMIT_LIST']);
    expect(others.filter(({ check }) => check === 'inbound-gateway configuration')).toHaveLength(2);
    expect(others).toContainEqual(finding('database', 'problem', 'password'));
  });

  it('finds servers that are unreachable, and prints no password', async () => {
    const port = await findFreePort();
    const address = `http://127.0.0.1:${port}`;
    const redis = `redis://:secret@127.0.0.1:${port}`;
    const database = `postgres://crm:hunter2@127.0.0.1:${port}/crm`;
    const { others } = await examine({ DATABASE_URL: database, REDIS_URL: redis }, '--read-url', address);
    expect(others).toEqual([
      finding('database', 'problem', 'ECONNREFUSED'),
      finding('redis', 'problem', 'cannot be used'),
      finding('read gateway', 'problem', 'does not answer'),
    ]);
    expect(JSON.stringify(others)).not.toMatch(/hunter2|secret/);
  });

  it('finds a replica URL that is not a replica, and a gateway whose database is unreachable', async () => {
    const unready = createHttpServer((_request, response) => response.writeHead(503).end());
    await listening(unready, async (port) => {
      const { others } = await examine({ READ_DATABASE_URL: stack().url }, '--read-url', `http://127.0.0.1:${port}`);
      expect(others).toEqual([finding('replica role', 'problem'), finding('read gateway', 'problem', '503')]);
    });
  });

  test.each([
    ['+PONG\r\n', 'ok'],
    ['-NOAUTH Authentication required.\r\n', 'problem'],
    ['', 'problem'],
  ])('reports a Redis that answers %j to each command as %s', async (answer, status) => {
    const commandsIn = (chunk: Buffer): number => chunk.toString().match(/^\*\d+\r\n/gm)?.length ?? 0;
    const redis = createServer(
      (socket) => void socket.on('data', (chunk) => socket.write(answer.repeat(commandsIn(chunk)))),
    );
    const found = await listening(redis, (port) => checkRedis(`redis://127.0.0.1:${port}`));
    expect(found).toMatchObject({ status });
  });

  it('prints lines of text, recognizes the local stack by its database, and checks its gateways', async () => {
    const { url } = stack();
    const folder = await mkdtemp(join(tmpdir(), 'crm-doctor-'));
    const run = async (...args: string[]) =>
      (await runCrm(['doctor', ...args], { CRM_DATA_DIR: folder, DATABASE_URL: url })).stdout;
    const foreign = await run();
    expect(foreign).toMatch(/^skipped {2}read-gateway configuration: CURSOR_SECRETS is not set here;/m);
    expect(foreign).toMatch(/^ok {7}version: PostgreSQL \d+\.\d+$/m);
    const address = `http://127.0.0.1:${await findFreePort()}`;
    const ids = { api_key: 'crm_live_x', pipeline_id: 'p', organization_id: 'o' };
    const demo = { read_url: address, inbound_url: `${address}/inbound`, database_url: url, ...ids };
    await writeFile(join(folder, 'demo.json'), JSON.stringify(demo));
    const own = await run('--read-url', 'http://127.0.0.1:2');
    expect(own).toMatch(/^ok {7}read-gateway configuration/m);
    expect(own).toMatch(/^ok {7}role: the superuser of the local stack$/m);
    expect(own).toContain(`inbound gateway: ${address}/inbound does not answer`);
    expect(own).toContain('read gateway: http://127.0.0.1:2 does not answer');
    await rm(folder, { recursive: true });
  });
});

describe('crm doctor, on a database with faults', () => {
  const newer = '29990101000000_newer';
  let administered: AdministeredDatabase;
  let env: { readonly DATABASE_URL: string };
  beforeAll(async () => {
    administered = await createAdministeredDatabase();
    env = { DATABASE_URL: administered.database.url };
  });
  afterAll(() => administered.close());

  it('R30: reports a database of a newer version, and one that is too new, which other commands refuse', async () => {
    const { pool } = administered.database;
    await pool.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at) VALUES ('newer', '', '${newer}', now())`,
    );
    expect((await examine(env)).others).toEqual([finding('migrations', 'warning', newer)]);
    const migrated = await runCrm(['migrate'], env);
    expect(migrated).toMatchObject({ exitCode: 0, stderr: expect.stringContaining(`newer version (${newer})`) });

    await pool.query(`INSERT INTO gateway_requirements VALUES ('${newer}', '${newer}')`);
    expect((await examine(env)).others).toEqual([finding('migrations', 'problem', newer)]);
    for (const command of [['migrate'], ['org', 'list']]) {
      const { exitCode, stderr } = await runCrm(command, env);
      expect(exitCode).not.toBe(0);
      expect(stderr).toContain(`${newer} needs a version with ${newer}`);
    }
  });

  it('finds no migrations, pools larger than the connection limit, and commits that do not wait for the disk', async () => {
    const change = (text: string): string =>
      `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I ${text}', current_database()); END $$;`;
    const spoil = `${change('SET synchronous_commit = off')} ${change('CONNECTION LIMIT 15')}`;
    await administered.database.pool.query(`${spoil} DROP SCHEMA public CASCADE; CREATE SCHEMA public`);
    const { others, standing } = await examine(env);
    expect(others).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ check: 'migrations', status: 'problem', advice: 'Run: crm migrate' }),
        finding('extensions', 'problem'),
        finding('connections', 'problem', '20 of 15'),
      ]),
    );
    expect(standing.at(-1)?.message).toContain('synchronous_commit');
  });
});
