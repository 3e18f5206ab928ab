// Generates the Prisma client and src/generated/expected-schema.ts. That file describes the schema that a gateway expects: the names of
// the migrations, the digest of the write functions and the release. It is generated because the images of gateways do not contain the SQL
// sources.
//
// `prisma generate` needs no schema engine, but downloads one unless PRISMA_SCHEMA_ENGINE_BINARY names an executable; any will do. The
// variable is set only for this command, because `prisma migrate` with it would do nothing and report success.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

const { status } = spawnSync('prisma', ['generate'], {
  cwd: new URL('..', import.meta.url),
  env: {
    ...process.env,
    PRISMA_SCHEMA_ENGINE_BINARY: process.execPath,
    CHECKPOINT_DISABLE: '1',
    PRISMA_HIDE_UPDATE_MESSAGE: '1',
  },
  stdio: ['ignore', 'inherit', 'inherit'],
});
if (status !== 0) process.exit(status ?? 1);

const root = new URL('../../../', import.meta.url);
const entries = readdirSync(new URL('prisma/migrations/', root), { withFileTypes: true });
const migrations = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
const list = migrations.sort().map((name) => `  '${name}',\n`);

// The installed statements depend on the files of functions and on the program that expands them, so the digest covers both.
const functions = new URL('packages/db/sql/functions/', root);
const files = readdirSync(functions).filter((name) => name.endsWith('.sql'));
const sources = [
  ...files.sort().map((name) => new URL(name, functions)),
  new URL('packages/db/src/migrate/repeat-functions.ts', root),
];
const digest = createHash('sha256')
  .update(sources.map((source) => readFileSync(source, 'utf8')).join('\n'))
  .digest('hex');

const { version: release } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));

writeFileSync(
  new URL('../src/generated/expected-schema.ts', import.meta.url),
  `/** The migrations of this version, in order. */
export const migrationNames: readonly string[] = [\n${list.join('')}];

/** The version of this package. */
export const release = '${release}';

/** SHA-256 of the sources of this version's write functions. */
export const functionsDigest = '${digest}';
`,
);
