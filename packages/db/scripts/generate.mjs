// Generates the Prisma client. `prisma generate` needs no schema engine, yet downloads one unless it is told of a binary:
// any existing executable will do. The setting is made here alone, because under it `prisma migrate` would do nothing and
// report success.
import { spawnSync } from 'node:child_process';

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
process.exit(status ?? 1);
