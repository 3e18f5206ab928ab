// Writes sql/schema.sql: starts a temporary PostgreSQL, migrates a database in it and dumps the schema.
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { startLocalPostgres } from '@crm/local-postgres';

import { dumpSchema, migrate } from '../dist/index.js';

const folder = await mkdtemp(join(tmpdir(), 'crm-schema-'));
const server = await startLocalPostgres({
  dataDir: join(folder, 'postgres'),
  user: 'postgres',
  password: 'schema',
  database: 'crm',
  settings: { fsync: 'off' },
  stopOnExit: true,
});
try {
  await migrate(server.url);
  await writeFile(new URL('../sql/schema.sql', import.meta.url), await dumpSchema(server.url));
} finally {
  await server.stop();
  await rm(folder, { recursive: true, force: true });
}
