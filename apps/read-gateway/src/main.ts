import { type AvailabilityListener, type Database, gatewayApplicationName, openDatabase, watchStartUp } from '@crm/db';
import {
  connectSharedCounters,
  createLogger,
  loadConfig,
  Observability,
  reportStartUp,
  SharedLimit,
  shareOf,
  startServer,
} from '@crm/http';
import { createApp } from './app.js';
import { envToConfig } from './config.js';
import { createContext } from './context.js';

const config = loadConfig(envToConfig);
const logger = createLogger({ level: config.logLevel, name: 'read-gateway' });
const observability = new Observability('read', config, logger);
const { metrics } = observability;
const share = shareOf(config.maxConnections);
const open = (name: 'primary' | 'replica', url: string): Database => {
  const database = openDatabase({
    url,
    applicationName: gatewayApplicationName('read'),
    maxConnections: config.maxConnections,
    isForReads: true,
    // With more, the searches of one organization could keep all cores of the database busy.
    connectionLimit: new SharedLimit({ share, shareBesideOthers: Math.max(1, config.maxConnections - share) }),
    onConnectionError: (error) => logger.debug({ err: error }, `a connection to the ${name} broke`),
    onConnectionWait: metrics?.waitsOf(name),
  });
  metrics?.watchPool(name, database.connections);
  return database;
};
/** Logs one line when a server becomes unavailable and one when it is back. */
const logChange =
  (server: string, other: string): AvailabilityListener =>
  ({ isAway, error }) => {
    if (isAway) logger.warn({ err: error }, `the ${server} is unavailable: ${other} answers the reads that it can`);
    else logger.info(`the ${server} is back`);
  };
const context = createContext(open('primary', config.databaseUrl), config.cursorSecrets, {
  replica: config.readDatabaseUrl === undefined ? null : open('replica', config.readDatabaseUrl),
  onPrimaryChange: logChange('primary', 'the replica'),
  onReplicaChange: logChange('replica', 'the primary'),
});
for (const { name, setups } of context.reads.setups) metrics?.watchCache(name, setups.counts);
const counters = config.redisUrl === undefined ? undefined : await connectSharedCounters(config.redisUrl, logger);
const startUp = watchStartUp(
  'read',
  (work) => context.reads.readLatest(work),
  { needsDurability: false, hasReplica: config.readDatabaseUrl !== undefined },
  reportStartUp(logger),
);
const app = createApp(context, config, logger, { activity: observability.activity, counters, startUp });
const close = async (): Promise<void> => {
  startUp.stop();
  counters?.close();
  await Promise.all([context.reads.close(), observability.stop()]);
};
try {
  await observability.start();
  const { host, port, shutdownDelayMs } = config;
  await startServer(app, { host, port, shutdownDelayMs, logger, onStopped: close });
} catch (error) {
  logger.fatal({ err: error }, 'the gateway could not start');
  process.exitCode = 1;
  await close();
}
