import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { clientUrl } from './connection/server-address.js';
import { type Database, type DatabaseOptions, openDatabase, sessionSettings } from './database.js';
import { PrismaClient } from './generated/client.js';

/** A database for administration: the gateways' {@link Database}, plus Prisma and `pg`, which share a separate pool. */
export interface AdministrationDatabase extends Database {
  readonly prisma: PrismaClient;
  readonly pool: pg.Pool;
}

/** How long a command may wait for a connection. A gateway waits two seconds, which is too short for commands on a busy server. */
export const commandPoolWaitMs = 30_000;
/** Such as the deletion of an organization's records in batches. Those of a gateway (`sessionLimitsMs`) are too short on a busy server. */
const commandLimitsMs = { statementTimeoutMs: 60_000, idleInTransactionTimeoutMs: 60_000 };
/** By default, a Prisma transaction may take two seconds to begin and five to run. On a busy server, that is too short for commands. */
const transactionLimitsMs = { maxWait: commandPoolWaitMs, timeout: 60_000 };

/**
 * Opens a database for administration, such as for the command line. By default, statements wait up to 30 seconds for a connection, and
 * statements and idle transactions may take a minute. Gateways need only {@link openDatabase}.
 */
export const openAdministrationDatabase = (given: DatabaseOptions): AdministrationDatabase => {
  const options = { ...commandLimitsMs, poolWaitMs: commandPoolWaitMs, ...given };
  const database = openDatabase(options);
  const pool = new pg.Pool({
    connectionString: clientUrl(options.url),
    application_name: options.applicationName,
    max: options.maxConnections,
    connectionTimeoutMillis: options.poolWaitMs,
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
