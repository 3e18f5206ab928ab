import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { type Database, type DatabaseOptions, openDatabase, sessionSettings } from './database.js';
import { PrismaClient } from './generated/client.js';

/** A database for administration: the gateways' {@link Database}, plus Prisma and `pg`, which share a separate pool. */
export interface AdministrationDatabase extends Database {
  readonly prisma: PrismaClient;
  readonly pool: pg.Pool;
}

/** How long a command may wait for a connection. A gateway waits two seconds, which is too short for commands on a busy server. */
const commandPoolWaitMs = 30_000;
/** By default, a Prisma transaction may take two seconds to begin and five to run. On a busy server, that is too short for commands. */
const transactionLimitsMs = { maxWait: commandPoolWaitMs, timeout: 60_000 };

/**
 * Opens a database for administration, such as for the command line. Statements wait up to 30 seconds for a connection, unless `poolWaitMs`
 * is set. Gateways need only {@link openDatabase}.
 */
export const openAdministrationDatabase = (options: DatabaseOptions): AdministrationDatabase => {
  const poolWaitMs = options.poolWaitMs ?? commandPoolWaitMs;
  const database = openDatabase({ ...options, poolWaitMs });
  const pool = new pg.Pool({
    connectionString: options.url,
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: poolWaitMs,
    keepAlive: true,
    ...sessionSettings(options),
  });
  // Without a listener, a lost connection would end the process.
  pool.on('error', (error) => options.onConnectionError?.(error));
  const prisma = new PrismaClient({ adapter: new PrismaPg(pool), transactionOptions: transactionLimitsMs });
  return {
    ...database,
    prisma,
    pool,
    close: async () => {
      await prisma.$disconnect();
      await Promise.all([pool.end(), database.close()]);
    },
  };
};
