// Generates the Prisma client, and the names of the migrations: images of gateways hold neither schema nor migrations.
//
// `prisma generate` needs no schema engine, yet downloads one unless it is told of a binary:
// any existing executable will do. The setting is made here alone, because under it `prisma migrate` would do nothing and
// report success.
import { spawnSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';

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

const entries = readdirSync(new URL('../../../prisma/migrations/', import.meta.url), { withFileTypes: true });
const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
const list = names.sort().map((name) => `  '${name}',\n`);
writeFileSync(
  new URL('../src/generated/migration-names.ts', import.meta.url),
  `/** The migrations of this version, in order. */\nexport const migrationNames: readonly string[] = [\n${list.join('')}];\n`,
);
