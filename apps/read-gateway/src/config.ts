import { defaultShares, type Environment, type GatewaySettings, readEnvironment, readGatewaySettings } from '@crm/http';
import { minCursorSecretLength } from '@crm/domain';

/** The configuration of the read gateway. */
export interface Config extends GatewaySettings {
  /** The primary. */
  readonly databaseUrl: string;
  /** A replica for reads; none if absent. */
  readonly readDatabaseUrl: string | undefined;
  /** The first signs cursors, all verify them. */
  readonly cursorSecrets: readonly [string, ...string[]];
  readonly maxConnections: number;
  /** The maximum number of requests that wait for events at the same time. */
  readonly maxWaiting: number;
}

/**
 * Reads the read gateway's configuration; pure.
 * @throws EnvironmentError that names every invalid variable
 */
export const envToConfig = (env: Environment): Config =>
  readEnvironment(env, (read) => {
    const [first = '', ...others] = read.list('CURSOR_SECRETS');
    const cursorSecrets: [string, ...string[]] = [first, ...others];
    if (first !== '' && cursorSecrets.some((secret) => secret.length < minCursorSecretLength)) {
      read.problem(
        'CURSOR_SECRETS',
        `must hold secrets of at least ${minCursorSecretLength} characters, separated by commas`,
      );
    }
    return {
      ...readGatewaySettings(read, { port: 4000 }),
      databaseUrl: read.databaseUrl('DATABASE_URL'),
      readDatabaseUrl: read.optionalDatabaseUrl('READ_DATABASE_URL'),
      cursorSecrets,
      maxConnections: read.integer('DATABASE_MAX_CONNECTIONS', { min: 1, max: 1_000, fallback: 10 }),
      maxWaiting: read.integer('MAX_WAITING', { min: 1, max: 1_000_000, fallback: defaultShares.maxWaiting }),
    };
  });
