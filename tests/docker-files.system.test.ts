import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

describe('docker/pin-images.sh', () => {
  const pinned = ['Dockerfile', ...composeFiles];
  const image = /docker\.io\/[a-z0-9/-]+:[^\s}]+/g;
  beforeEach(async () => {
    for (const file of [...pinned, 'pin-images.sh']) await cp(join(shipped, file), join(folder, file));
  });

  /** The digest that this test's registry returns for a tag. It changes with `version`. */
  const digestOf = (tag: string, version: string): string =>
    `sha256:${createHash('sha256').update(`${tag}\n${version}\n`).digest('hex')}`;

  /** Runs the script with a stub of `docker` that has one command, and a registry that has every tag. */
  const pin = async (version: string): Promise<string> => {
    const docker = `#!/bin/sh
    [ "$1 $2 $3 $4 $5" = 'buildx imagetools inspect --format {{.Manifest.Digest}}' ] || exit 1
    echo "sha256:$(printf '%s\\n%s\\n' "$6" '${version}' | sha256sum | cut -d ' ' -f 1)"\n`;
    await writeFile(join(folder, 'docker'), docker, { mode: 0o755 });
    const { stdout } = await run('sh', [join(folder, 'pin-images.sh')], {
      env: { PATH: `${folder}:${process.env['PATH'] ?? ''}` },
    });
    return stdout;
  };

  const readAll = (from: string): Promise<string[]> =>
    Promise.all(pinned.map((file) => readFile(join(from, file), 'utf8')));

  test('adds the digest of its tag to every image, and later replaces it', async () => {
    const before = (await readAll(shipped)).map((text) => text.replace(/@sha256:[0-9a-f]{64}/g, ''));
    expect(before.join('\n').match(image)?.length).toBeGreaterThanOrEqual(8);
    for (const version of ['first', 'second']) {
      await pin(version);
      expect(await readAll(folder)).toEqual(
        before.map((text) => text.replace(image, (tag) => `${tag}@${digestOf(tag, version)}`)),
      );
    }
  });

  test('changes nothing if the registry has no such tag', async () => {
    await writeFile(join(folder, 'docker'), '#!/bin/sh\necho "not found"\n', { mode: 0o755 });
    const env = { PATH: `${folder}:${process.env['PATH'] ?? ''}` };
    await expect(run('sh', [join(folder, 'pin-images.sh')], { env })).rejects.toThrow('has no digest: not found');
    expect(await readAll(folder)).toEqual(await readAll(shipped));
  });
});
