import { isIP } from 'node:net';
import { maxPageBytes } from '@crm/domain';
import type { EnvironmentReader } from './environment.js';
import type { TrustProxy } from './gateway-options.js';
import { readTracingSettings, type TracingSettings } from './observability/tracing/tracing-settings.js';
import { defaultRateLimits, type RateLimits } from './limits/rate-limit-config.js';
import { defaultShares, type ShareOptions } from './limits/shares.js';

/** The levels of `LOG_LEVEL`. */
const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const;

/** One of {@link logLevels}. */
export type LogLevel = (typeof logLevels)[number];

/** Where metrics are served. */
export interface AdminAddress {
  readonly host: string;
  readonly port: number;
}

/** The settings that every process of the service reads from its environment. */
export interface ProcessSettings {
  readonly logLevel: LogLevel;
  /** Off if absent. */
  readonly admin: AdminAddress | undefined;
  /** Where traces are sent; off if absent. */
  readonly tracing: TracingSettings | undefined;
}

/** The settings that both gateways read from their environment. */
export interface GatewaySettings extends ProcessSettings, Omit<ShareOptions, 'maxPageBytes' | 'maxWaiting'> {
  readonly host: string;
  readonly port: number;
  readonly trustProxy: TrustProxy;
  readonly maxEventLoopDelayMs: number;
  readonly rateLimits: RateLimits;
  /** The Redis in which all processes count rate limits together; if absent, each process counts for itself. */
  readonly redisUrl: string | undefined;
  /** The other gateway's address for browsers, for the link at `/docs`; no link if absent. */
  readonly otherGatewayUrl: string | undefined;
}

const isAddressRange = (part: string): boolean => {
  const [address = '', bits, ...more] = part.split('/');
  const version = isIP(address);
  if (version === 0 || more.length > 0) return false;
  return bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (version === 4 ? 32 : 128));
};

/**
 * `TRUST_PROXY`: a number of hops, or addresses and CIDRs. "Trust everyone" is not allowed: it would let callers forge
 * addresses.
 */
const readTrustProxy = (read: EnvironmentReader): TrustProxy => {
  const parts = read.list('TRUST_PROXY', []);
  const [first] = parts;
  if (first === undefined) return false;
  if (parts.length === 1 && /^\d{1,2}$/.test(first)) return first === '0' ? false : Number(first);
  if (parts.every(isAddressRange)) return parts;
  read.problem('TRUST_PROXY', 'must be a number of hops or a list of addresses and CIDRs');
  return false;
};

/** Reads `ADMIN_PORT` and `ADMIN_HOST`. The port must differ from the API's, because the API is public. */
const readAdmin = (read: EnvironmentReader, port: number | undefined): AdminAddress | undefined => {
  const host = read.string('ADMIN_HOST', '127.0.0.1');
  if (read.optionalString('ADMIN_PORT') === undefined) return undefined;
  const admin = { host, port: read.integer('ADMIN_PORT', { min: 1, max: 65_535 }) };
  if (admin.port === port) read.problem('ADMIN_PORT', 'must differ from PORT');
  return admin;
};

/**
 * Reads the environment variables that every process of the service has. Problems go to the reader.
 * @param port - the port of the API; undefined for a process without one
 */
export const readProcessSettings = (read: EnvironmentReader, port?: number): ProcessSettings => ({
  admin: readAdmin(read, port),
  tracing: readTracingSettings(read),
  logLevel: read.choice('LOG_LEVEL', logLevels, 'info'),
});

/** Reads the environment variables that both gateways share. Problems go to the reader. */
export const readGatewaySettings = (read: EnvironmentReader, defaults: { readonly port: number }): GatewaySettings => {
  const limit = (name: string, fallback: number): number =>
    read.integer(`RATE_LIMIT_${name}`, { min: 0, max: 1_000_000_000, fallback });
  const port = read.integer('PORT', { min: 0, max: 65_535, fallback: defaults.port });
  return {
    host: read.string('HOST', '127.0.0.1'),
    port,
    ...readProcessSettings(read, port),
    trustProxy: readTrustProxy(read),
    maxInFlight: read.integer('MAX_IN_FLIGHT', { min: 1, max: 1_000_000, fallback: defaultShares.maxInFlight }),
    maxBytesInFlight: read.integer('MAX_BYTES_IN_FLIGHT', {
      min: 2 * maxPageBytes,
      max: 1_000_000_000_000,
      fallback: defaultShares.maxBytesInFlight,
    }),
    maxBulkPerOrganization: read.integer('MAX_BULK_PER_ORGANIZATION', {
      min: 1,
      max: 1_000_000,
      fallback: defaultShares.maxBulkPerOrganization,
    }),
    maxEventLoopDelayMs: read.integer('MAX_EVENT_LOOP_DELAY_MS', { min: 1, max: 1_000_000, fallback: 500 }),
    rateLimits: {
      list: limit('LIST', defaultRateLimits.list),
      search: limit('SEARCH', defaultRateLimits.search),
      inbound: limit('INBOUND', defaultRateLimits.inbound),
      bulk: limit('BULK', defaultRateLimits.bulk),
      failedAuth: limit('FAILED_AUTH', defaultRateLimits.failedAuth),
    },
    otherGatewayUrl: read.optionalUrl('OTHER_GATEWAY_URL', { schemes: ['http', 'https'] }),
    redisUrl: read.optionalUrl('REDIS_URL', { schemes: ['redis', 'rediss'] }),
  };
};
