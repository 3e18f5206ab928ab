import { type Environment, type GatewaySettings, readEnvironment, readGatewaySettings } from '@crm/http';
import { readWebhookSettings, type WebhookSettings } from '@crm/webhooks';

/** The configuration of the inbound gateway. */
export interface Config extends GatewaySettings {
  readonly webhooks: WebhookSettings;
  readonly databaseUrl: string;
  readonly maxConnections: number;
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
    allowsUnsafeDurability: read.boolean('ALLOW_UNSAFE_DURABILITY', false),
    eventRetentionDays: read.integer('EVENT_RETENTION_DAYS', { min: 0, max: 36_500, fallback: 30 }),
  }));
