// Writes the sources of each image: runs `turbo prune` for its package, and removes development dependencies. Usage:
// node docker/prune.mjs OUT [turbo]     gives OUT/<image>/json, OUT/<image>/full and OUT/<image>/package-lock.json
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The packages that each image runs. `build` has all of them, so that the images share one build. */
export const images = {
  'read-gateway': ['@crm/read-gateway'],
  'inbound-gateway': ['@crm/inbound-gateway'],
  'webhook-worker': ['@crm/webhook-worker'],
  migrate: ['@crm/cli'],
  build: ['@crm/read-gateway', '@crm/inbound-gateway', '@crm/webhook-worker', '@crm/cli'],
};

const walk = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true }).map((entry) => ({
    entry,
    path: join(entry.parentPath, entry.name),
  }));

/**
 * Removes development dependencies on our packages that `turbo prune --production` left out. npm would look for them in the
 * registry.
 */
const dropMissingPackages = (folder, names) => {
  for (const { entry, path } of walk(folder)) {
    if (!entry.isFile() || entry.name !== 'package.json') continue;
    const manifest = JSON.parse(readFileSync(path, 'utf8'));
    for (const name of Object.keys(manifest.devDependencies ?? {})) {
      if (name.startsWith('@crm/') && !names.has(name)) delete manifest.devDependencies[name];
    }
    writeFileSync(path, `${JSON.stringify(manifest, null, 2)}\n`);
  }
};

const dropTests = (folder) => {
  for (const { entry, path } of walk(folder)) {
    const isTests = entry.isDirectory() ? entry.name === 'tests' : entry.name.endsWith('.test.ts');
    if (isTests) rmSync(path, { recursive: true, force: true });
  }
};

/** The names of the packages in a pruned folder. */
export const packageNames = (folder) =>
  new Set(
    walk(folder)
      .filter(({ entry }) => entry.isFile() && entry.name === 'package.json')
      .map(({ path }) => JSON.parse(readFileSync(path, 'utf8')).name),
  );

/** Prunes for every image into `out/<image>`. */
export const pruneForImages = (out, turbo = 'turbo') => {
  for (const [image, scopes] of Object.entries(images)) {
    const folder = join(out, image);
    const { status, stderr } = spawnSync(turbo, ['prune', ...scopes, '--docker', '--production', '--out-dir', folder], {
      stdio: ['ignore', 'ignore', 'pipe'],
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(`turbo prune failed for ${image}: ${stderr}`);
    const names = packageNames(join(folder, 'json'));
    dropMissingPackages(join(folder, 'json'), names);
    dropMissingPackages(join(folder, 'full'), names);
    dropTests(join(folder, 'full'));
  }
};

if (process.argv[1] === import.meta.filename) {
  const [, , out, turbo] = process.argv;
  if (out === undefined) throw new Error('Usage: node docker/prune.mjs OUT [turbo]');
  pruneForImages(out, turbo);
}
