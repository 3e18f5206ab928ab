import {
  type AdminAddress,
  type Environment,
  type LogLevel,
  readEnvironment,
  readProcessSettings,
  type TracingSettings,
} from '@crm/http';
import { readWebhookSettings, type WebhookSettings } from '@crm/webhooks';

/** The configuration of the webhook worker. */
export interface Config extends WebhookSettings {
  readonly databaseUrl: string;
  readonly maxConnections: number;
  readonly logLevel: LogLevel;
  readonly admin: AdminAddress | undefined;
  readonly tracing: TracingSettings | undefined;
  /** The times between the tries of an event, in milliseconds. The first try is at once, so there is one more try than entries. */
  readonly retryDelaysMs: readonly number[];
  readonly attemptTimeoutMs: number;
}

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** The schedule of Standard Webhooks: ten tries in about three days, the first one at once. */
const defaultRetryDelaysMs: readonly number[] = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  14 * hour,
  20 * hour,
  24 * hour,
];

/** How long a receiver may be without any success before its endpoint is disabled. */
export const disableAfterMs = 72 * hour;

/**
 * Reads the worker's configuration; pure.
 * @throws EnvironmentError that names every invalid variable
 */
export const envToConfig = (env: Environment): Config =>
  readEnvironment(env, (read) => {
    const webhooks = readWebhookSettings(read);
    if (webhooks.keys === null) read.problem('WEBHOOK_SECRET_KEY', 'is required: openssl rand -base64 32');
    const seconds = read.list('WEBHOOK_RETRY_SCHEDULE', []);
    if (!seconds.every((text) => /^\d{1,6}(\.\d{1,3})?$/.test(text))) {
      read.problem('WEBHOOK_RETRY_SCHEDULE', 'must be the seconds between the tries, separated by commas');
    }
    return {
      ...webhooks,
      ...readProcessSettings(read),
      databaseUrl: read.databaseUrl('DATABASE_URL'),
      maxConnections: read.integer('DATABASE_MAX_CONNECTIONS', { min: 1, max: 1_000, fallback: 10 }),
      retryDelaysMs: seconds.length === 0 ? defaultRetryDelaysMs : seconds.map((text) => Number(text) * second),
      attemptTimeoutMs: read.integer('WEBHOOK_TIMEOUT_MS', { min: 10, max: 60_000, fallback: 15_000 }),
    };
  });
