// Writes a package.json and a package-lock.json for turbo alone, with its version and its checksums from the lock file of the
// repository: pruning the workspace needs turbo, and none of the other packages.
// Usage: node docker/turbo-lock.mjs OUT && npm ci --prefix OUT     gives OUT/node_modules/.bin/turbo
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The lock file of a package that depends on turbo and nothing else. @throws Error if a checksum is missing */
export const lockTurbo = ({ lockfileVersion, packages }) => {
  const turbo = packages['node_modules/turbo'];
  const names = ['turbo', ...Object.keys(turbo.optionalDependencies)];
  const entries = names.map((name) => [`node_modules/${name}`, packages[`node_modules/${name}`]]);
  for (const [path, entry] of entries) {
    if (entry?.integrity === undefined) throw new Error(`package-lock.json has no checksum of ${path}`);
  }
  const root = { name: 'turbo-alone', dependencies: { turbo: turbo.version } };
  return { name: root.name, lockfileVersion, requires: true, packages: { '': root, ...Object.fromEntries(entries) } };
};

if (process.argv[1] === import.meta.filename) {
  const [, , out] = process.argv;
  if (out === undefined) throw new Error('Usage: node docker/turbo-lock.mjs OUT');
  const lock = lockTurbo(JSON.parse(readFileSync('package-lock.json', 'utf8')));
  mkdirSync(out, { recursive: true });
  writeFileSync(join(out, 'package.json'), JSON.stringify({ private: true, ...lock.packages[''] }));
  writeFileSync(join(out, 'package-lock.json'), JSON.stringify(lock));
}
