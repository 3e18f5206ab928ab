import { findWriteProblem, gatewayApplicationName, openDatabase, readWebhookSecrets, watchStartUp } from '@crm/db';
import {
  createLogger,
  loadConfig,
  NotReadyError,
  reportStartUp,
  startAdminServer,
  startTracing,
  stopOnSignals,
} from '@crm/http';
import { decryptSecret, type SecretKeys, Sender } from '@crm/webhooks';
import { disableAfterMs, envToConfig } from './config.js';
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
const report = reportStartUp(logger);
const wrongKey =
  'WEBHOOK_SECRET_KEY decrypts none of the stored secrets: set the key of the inbound gateways, with the keys before it';
/** Whether no stored secret can be decrypted, although there are some. */
const hasWrongKey = async (keys: SecretKeys): Promise<boolean> => {
  const stored = await readWebhookSecrets(database);
  return stored.length > 0 && stored.every(({ id, secret }) => decryptSecret(keys, id, secret) === null);
};
const start = async (): Promise<void> => {
  if (keys === null) return;
  // An outage right now is no reason to stop: the worker finds out later what it can decrypt.
  if (await hasWrongKey(keys).catch(() => false)) {
    report.onRefusal(wrongKey);
    return;
  }
  const { retryDelaysMs, attemptTimeoutMs } = config;
  worker = startWorker({
    ...{ database, sender, keys, retryDelaysMs, disableAfterMs, attemptTimeoutMs, logger },
    onSaved: (result) => metrics.count(result),
    onUnreadable: (count) => metrics.setUnreadable(count),
  });
  logger.info('sends webhooks');
};
const startUp = watchStartUp(
  'webhooks',
  (work) => work(database),
  { needsDurability: false },
  { ...report, onPassed: () => void start() },
);
const readiness = async (): Promise<void> => {
  const problem = startUp.problem ?? (await findWriteProblem(database));
  if (problem !== null) throw new NotReadyError(problem);
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
