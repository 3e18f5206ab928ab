import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { parse } from 'yaml';

const run = promisify(execFile);
const root = fileURLToPath(new URL('../', import.meta.url));
const shipped = join(root, 'docker');
const composeFiles = ['compose.yaml', 'compose.replica.yaml', 'compose.observability.yaml', 'compose.citus.yaml'];

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crm-docker-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Service {
  readonly mem_limit?: string;
  readonly pids_limit?: number;
  readonly logging?: { readonly options: Readonly<Record<string, string>> };
  readonly tmpfs?: readonly string[];
}

const readServices = async (): Promise<[string, Service][]> => {
  const texts = await Promise.all(composeFiles.map((file) => readFile(join(shipped, file), 'utf8')));
  const byName = texts.map((text) => (parse(text, { merge: true }) as { services: Record<string, Service> }).services);
  const names = new Set(byName.flatMap((services) => Object.keys(services)));
  return [...names].map((name) => [name, Object.assign({}, ...byName.map((services) => services[name])) as Service]);
};

describe('the compose files', () => {
  test('limit the memory, the processes, the log and the temporary files of every service', async () => {
    const services = await readServices();
    expect(services.map(([name]) => name).sort()).toEqual([
      'citus-join',
      'citus-worker-1',
      'citus-worker-2',
      'grafana',
      'inbound-gateway',
      'migrate',
      'postgres',
      'postgres-replica',
      'prometheus',
      'proxy',
      'read-gateway',
      'redis',
      'webhook-worker',
    ]);
    const unlimited = services.filter(
      ([, { mem_limit: memory, pids_limit: processes, logging, tmpfs = [] }]) =>
        memory === undefined ||
        processes === undefined ||
        logging?.options['max-size'] === undefined ||
        tmpfs.some((mount) => !/\bsize=\d+m\b/.test(mount)),
    );
    expect(unlimited.map(([name]) => name)).toEqual([]);
  });
});

describe('docker/turbo-lock.mjs', () => {
  interface Lock {
    readonly packages: Record<string, { readonly version?: string; readonly integrity?: string }>;
  }

  const writeLock = (out: string, cwd: string): Promise<unknown> =>
    run(process.execPath, [join(shipped, 'turbo-lock.mjs'), out], { cwd });
  const readLock = async (path: string): Promise<Lock> => JSON.parse(await readFile(path, 'utf8')) as Lock;

  test('keeps only turbo, its programs and their checksums from the lock file', async () => {
    await writeLock(folder, root);
    const { packages } = await readLock(join(folder, 'package-lock.json'));
    const { packages: locked } = await readLock(join(root, 'package-lock.json'));
    const { '': self, ...others } = packages;
    expect(self).toMatchObject({ dependencies: { turbo: locked['node_modules/turbo']?.version } });
    expect(Object.keys(others)).toContain('node_modules/turbo');
    expect(Object.keys(others).filter((path) => !/^node_modules\/(@turbo\/[\w-]+|turbo)$/.test(path))).toEqual([]);
    for (const [path, entry] of Object.entries(others)) expect(entry).toEqual(locked[path]);
  });

  test('fails if the lock file has no checksum of a program', async () => {
    const lock = await readLock(join(root, 'package-lock.json'));
    lock.packages['node_modules/@turbo/linux-64'] = { version: '1.0.0' };
    await writeFile(join(folder, 'package-lock.json'), JSON.stringify(lock));
    await expect(writeLock(join(folder, 'out'), folder)).rejects.toThrow('no checksum of node_modules/@turbo/linux-64');
  });

  test('is the only way in which the Dockerfile installs a package by name', async () => {
    const dockerfile = await readFile(join(shipped, 'Dockerfile'), 'utf8');
    expect(dockerfile).toContain('turbo-lock.mjs');
    expect(dockerfile).not.toMatch(/npm (i|install|add)\b|npx (-y|--yes)/);
  });
});
