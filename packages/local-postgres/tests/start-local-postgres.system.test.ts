import { spawn } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import pg from 'pg';

import { isAlive } from '../src/postmaster.js';
import { startLocalPostgres, type LocalPostgres, type LocalPostgresOptions } from '../src/start-local-postgres.js';

let folder: string;
let running: LocalPostgres[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'local-postgres-'));
  running = [];
});

afterEach(async () => {
  for (const server of running) await server.stop();
  await rm(folder, { recursive: true, force: true });
});

async function start(options: Partial<LocalPostgresOptions> = {}): Promise<LocalPostgres> {
  const server = await startLocalPostgres({
    dataDir: join(folder, 'data'),
    user: 'crm',
    password: "it's @ secret/",
    database: 'crm',
    settings: { fsync: 'off' },
    stopOnExit: true,
    ...options,
  });
  running.push(server);
  return server;
}

async function queryOne(url: string, sql: string): Promise<unknown> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
    return rows[0]?.[0];
  } finally {
    await client.end();
  }
}

async function waitUntilGone(pid: number): Promise<void> {
  for (let waited = 0; isAlive(pid) && waited < 10_000; waited += 50) await sleep(50);
  expect(isAlive(pid)).toBe(false);
}

describe('a new data directory', () => {
  test('gets a cluster in UTF-8 and locale C with scram-sha-256, on the loopback address only', async () => {
    const messages: string[] = [];
    const { url, port } = await start({ log: (message) => messages.push(message) });
    expect(await queryOne(url, 'SHOW server_encoding')).toBe('UTF8');
    expect(await queryOne(url, 'SELECT datcollate FROM pg_database WHERE datname = current_database()')).toBe('C');
    expect(await queryOne(url, 'SHOW listen_addresses')).toBe('127.0.0.1');
    expect(await queryOne(url, 'SHOW port')).toBe(String(port));
    expect(await queryOne(url, "SELECT string_agg(DISTINCT auth_method, ',') FROM pg_hba_file_rules")).toBe(
      'scram-sha-256',
    );
    await expect(queryOne(url.replace('secret', 'wrong'), 'SELECT 1')).rejects.toThrow('password');
    expect(messages.length).toBeGreaterThan(0);
    expect((await stat(join(folder, 'data'))).mode & 0o077).toBe(0);
  });

  test('is created once if two starts race', async () => {
    const [first, second] = await Promise.all([start(), start()]);
    expect(second.pid).toBe(first.pid);
    expect(await queryOne(second.url, 'SELECT 1')).toBe(1);
  });

  test('is refused if it contains other files', async () => {
    await writeFile(join(folder, 'letter.txt'), 'mine');
    await expect(start({ dataDir: folder })).rejects.toThrow('holds files but no PostgreSQL data');
    expect(await readFile(join(folder, 'letter.txt'), 'utf8')).toBe('mine');
  });
});

describe('an existing data directory', () => {
  test('keeps its data across stop and start', async () => {
    const first = await start();
    await queryOne(first.url, 'CREATE TABLE kept AS SELECT 42 AS value');
    await first.stop();
    expect(isAlive(first.pid)).toBe(false);
    const second = await start();
    expect(second.adopted).toBe(false);
    expect(await queryOne(second.url, 'SELECT value FROM kept')).toBe(42);
  });

  test('recovers after its server was killed', async () => {
    const first = await start({ settings: {} });
    await queryOne(first.url, 'CREATE TABLE kept AS SELECT 42 AS value');
    process.kill(first.pid, 'SIGKILL');
    const second = await start({ settings: {} });
    expect(second.pid).not.toBe(first.pid);
    expect(await queryOne(second.url, 'SELECT value FROM kept')).toBe(42);
  });

  test('starts even if another program has the process id of its dead server', async () => {
    const first = await start();
    await first.stop();
    const other = spawn('sleep', ['60']);
    try {
      const lines = [other.pid, join(folder, 'data'), 1, first.port, '', '127.0.0.1', '  1 1', 'ready'];
      await writeFile(join(folder, 'data', 'postmaster.pid'), `${lines.join('\n')}\n`);
      const second = await start();
      expect(await queryOne(second.url, 'SELECT 1')).toBe(1);
    } finally {
      other.kill();
    }
  });

  test('is adopted while its server runs', async () => {
    const first = await start();
    const second = await start();
    expect(second).toMatchObject({ adopted: true, pid: first.pid, port: first.port, url: first.url });
    await second.stop();
    await waitUntilGone(first.pid);
  });

  test('reports a wrong password and leaves the server alone', async () => {
    const first = await start();
    await expect(start({ password: 'other' })).rejects.toThrow('another password');
    expect(await queryOne(first.url, 'SELECT 1')).toBe(1);
  });
});

describe('when the parent process ends', () => {
  test('by exiting, a server with stopOnExit stops', async () => {
    const { pid } = await startInChild('process.exit(0)');
    await waitUntilGone(pid);
  });

  const onLinux = process.platform === 'linux' ? test : test.skip;
  onLinux('by a kill, a server with stopOnExit stops', async () => {
    const { pid } = await startInChild('process.kill(process.pid, "SIGKILL")');
    await waitUntilGone(pid);
  });

  test('a server without stopOnExit keeps running and is adopted', async () => {
    const { pid } = await startInChild('process.kill(process.pid, "SIGKILL")', false);
    const adopted = await start();
    expect(adopted).toMatchObject({ adopted: true, pid });
  });
});

/** Starts the server from another process, which then ends itself. */
async function startInChild(ending: string, stopOnExit = true): Promise<{ pid: number }> {
  const script = `
    const { startLocalPostgres } = await import(${JSON.stringify(new URL('../dist/index.js', import.meta.url).href)});
    const server = await startLocalPostgres({ dataDir: ${JSON.stringify(join(folder, 'data'))}, user: 'crm',
      password: "it's @ secret/", database: 'crm', settings: { fsync: 'off' }, stopOnExit: ${stopOnExit} });
    console.log(server.pid);
    setTimeout(() => { ${ending} }, 100);`;
  const child = spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  await new Promise((resolve) => child.once('close', resolve));
  const pid = Number(output.trim());
  expect(pid).toBeGreaterThan(0);
  return { pid };
}
