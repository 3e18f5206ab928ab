import { gatewayApplicationName, openDatabase, watchStartUp } from '@crm/db';
import {
  createLogger,
  loadConfig,
  NotReadyError,
  reportStartUp,
  startAdminServer,
  startTracing,
  stopOnSignals,
} from '@crm/http';
import { Sender } from '@crm/webhooks';
import { envToConfig } from './config.js';
import { WorkerMetrics } from './metrics.js';
import { startWorker, type Worker } from './worker.js';

const config = loadConfig(envToConfig);
const { admin, tracing, keys, networks } = config;
const logger = createLogger({ level: config.logLevel, name: 'webhook-worker' });
const database = openDatabase({
  url: config.databaseUrl,
  applicationName: gatewayApplicationName('webhooks'),
  maxConnections: config.maxConnections,
  onConnectionError: (error) => logger.debug({ err: error }, 'a database connection broke'),
});
const metrics = new WorkerMetrics(database);
const sender = new Sender(networks, config.attemptTimeoutMs);
let worker: Worker | undefined;
const start = (): void => {
  if (keys === null) return;
  const { retryDelaysMs } = config;
  worker = startWorker({ database, sender, keys, retryDelaysMs, logger, onRound: (result) => metrics.count(result) });
  logger.info('sends webhooks');
};
const report = reportStartUp(logger);
const startUp = watchStartUp(
  'webhooks',
  (work) => work(database),
  { needsDurability: false },
  { ...report, onPassed: start },
);
const readiness = async (): Promise<void> => {
  if (startUp.problem !== null) throw new NotReadyError(startUp.problem);
  await database.ping();
};
const stops = [
  ...(tracing === undefined ? [] : [await startTracing(tracing, 'crm-webhook-worker', logger)]),
  ...(admin === undefined ? [] : [await startAdminServer({ ...admin, metrics, logger, readiness })]),
];
stopOnSignals(async () => {
  startUp.stop();
  await worker?.stop();
  sender.close();
  await Promise.all([database.close(), ...stops.map((stop) => stop())]);
}, logger);
