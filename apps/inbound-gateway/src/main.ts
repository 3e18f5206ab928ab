import { gatewayApplicationName, listLargestChangeLogs, openDatabase, watchStartUp } from '@crm/db';
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
import { startUpkeep } from './upkeep.js';

const config = loadConfig(envToConfig);
const logger = createLogger({ level: config.logLevel, name: 'inbound-gateway' });
const observability = new Observability('inbound', config, logger);
const database = openDatabase({
  url: config.databaseUrl,
  applicationName: gatewayApplicationName('inbound'),
  maxConnections: config.maxConnections,
  connectionLimit: new SharedLimit({ share: shareOf(config.maxConnections) }),
  onConnectionError: (error) => logger.debug({ err: error }, 'a database connection broke'),
  onConnectionWait: observability.metrics?.waitsOf('primary'),
});
const context = createContext(database, {
  webhooks: config.webhooks,
  maxCreatesPerCall: config.maxCreatesPerCall,
  onRebuildFailure: (organizationId, error) =>
    logger.warn({ err: error, organization_id: organizationId }, 'could not rebuild stored records, will try again'),
});
observability.metrics?.watchPool('primary', database.connections);
observability.metrics?.watchCache('setups', context.setups.counts);
observability.metrics?.watchChangeLogs(() => listLargestChangeLogs(database));
const counters = config.redisUrl === undefined ? undefined : await connectSharedCounters(config.redisUrl, logger);
const startUp = watchStartUp(
  'inbound',
  (work) => work(database),
  { needsDurability: !config.allowsUnsafeDurability },
  reportStartUp(logger),
);
const app = createApp(context, config, logger, { activity: observability.activity, counters, startUp });
const upkeep = startUpkeep(database, logger, config.eventRetentionDays);
observability.metrics?.watchUpkeep(upkeep.tasks);
const close = async (): Promise<void> => {
  upkeep.stop();
  startUp.stop();
  counters?.close();
  await Promise.all([database.close(), observability.stop()]);
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
