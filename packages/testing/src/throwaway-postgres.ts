import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { type LocalPostgres, type LocalPostgresOptions, startLocalPostgres } from '@crm/local-postgres';

type Options = Partial<Pick<LocalPostgresOptions, 'database' | 'port' | 'settings'>>;

/** A PostgreSQL in a folder that `stop` removes. */
interface ThrowawayPostgres {
  /** The server of the last start. */
  readonly current: () => LocalPostgres;
  /** Starts it again on the same data. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a PostgreSQL for one test or one run. It ends with this process. */
export const startThrowawayPostgres = async (options: Options = {}): Promise<ThrowawayPostgres> => {
  const folder = await mkdtemp(join(tmpdir(), 'crm-test-'));
  const password = randomBytes(16).toString('hex');
  const dataDir = join(folder, 'postgres');
  const start = () =>
    startLocalPostgres({ dataDir, user: 'postgres', password, database: 'postgres', stopOnExit: true, ...options });
  let server = await start();
  return {
    current: () => server,
    start: async () => {
      server = await start();
    },
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
