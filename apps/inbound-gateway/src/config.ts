import { type Environment, type GatewaySettings, readEnvironment, readGatewaySettings } from '@crm/http';

/** What the inbound gateway is started with. */
export interface Config extends GatewaySettings {
  readonly databaseUrl: string;
  readonly maxConnections: number;
  /** Whether answered writes may be lost with the power; for tests. */
  readonly allowsUnsafeDurability: boolean;
  /** Days for which the change log retains events; 0 for ever. */
  readonly eventRetentionDays: number;
}

/**
 * Reads the inbound gateway's configuration; pure.
 * @throws EnvironmentError naming every variable at fault
 */
export const envToConfig = (env: Environment): Config =>
  readEnvironment(env, (read) => ({
    ...readGatewaySettings(read, { port: 4001 }),
    databaseUrl: read.url('DATABASE_URL', { schemes: ['postgres', 'postgresql'] }),
    maxConnections: read.integer('DATABASE_MAX_CONNECTIONS', { min: 1, max: 1_000, fallback: 10 }),
    allowsUnsafeDurability: read.boolean('ALLOW_UNSAFE_DURABILITY', false),
    eventRetentionDays: read.integer('EVENT_RETENTION_DAYS', { min: 0, max: 36_500, fallback: 30 }),
  }));
