import { type Environment, type GatewaySettings, readEnvironment, readGatewaySettings } from '@crm/http';
import { defaultCreatesPerCall } from './context.js';
import { readWebhookSettings, type WebhookSettings } from '@crm/webhooks';

/** The configuration of the inbound gateway. */
export interface Config extends GatewaySettings {
  readonly webhooks: WebhookSettings;
  readonly databaseUrl: string;
  readonly maxConnections: number;
  /** The most creates of one organization that share a call of the database. */
  readonly maxCreatesPerCall: number;
  /** Whether a power failure may lose committed writes; for tests. */
  readonly allowsUnsafeDurability: boolean;
  /** Days for which the change log retains events; 0 means forever. */
  readonly eventRetentionDays: number;
}

/**
 * Reads the inbound gateway's configuration; pure.
 * @throws EnvironmentError that names every invalid variable
 */
export const envToConfig = (env: Environment): Config =>
  readEnvironment(env, (read) => ({
    ...readGatewaySettings(read, { port: 4001 }),
    webhooks: readWebhookSettings(read),
    databaseUrl: read.databaseUrl('DATABASE_URL'),
    maxConnections: read.integer('DATABASE_MAX_CONNECTIONS', { min: 1, max: 1_000, fallback: 10 }),
    maxCreatesPerCall: read.integer('MAX_CREATES_PER_CALL', { min: 1, max: 100, fallback: defaultCreatesPerCall }),
    allowsUnsafeDurability: read.boolean('ALLOW_UNSAFE_DURABILITY', false),
    eventRetentionDays: read.integer('EVENT_RETENTION_DAYS', { min: 0, max: 36_500, fallback: 30 }),
  }));
