import { openDatabase } from '@crm/db';
import { createLogger, loadConfig, startServer } from '@crm/http';
import { createApp } from './app.js';
import { envToConfig } from './config.js';
import { createContext } from './context.js';

const config = loadConfig(envToConfig);
const logger = createLogger({ level: config.logLevel, name: 'inbound-gateway' });
const database = openDatabase({
  url: config.databaseUrl,
  applicationName: 'crm-inbound-gateway',
  maxConnections: config.maxConnections,
  onConnectionError: (error) => logger.warn({ err: error }, 'a database connection broke'),
});
const app = createApp(createContext(database), config, logger);
try {
  await startServer(app, { host: config.host, port: config.port, logger, onStopped: () => database.close() });
} catch (error) {
  logger.fatal({ err: error }, 'the gateway could not start');
  process.exitCode = 1;
  await database.close();
}
