import { maxPageBytes } from '@crm/domain';
import type { EnvironmentReader } from './environment.js';
import type { TrustProxy } from './gateway-options.js';
import { defaultRateLimits, type RateLimits } from './limits/rate-limit-config.js';
import { coverEverything, isAddressRange } from './request/client-address.js';
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

/** Where traces are sent, and the share of traced requests. */
export interface TracingSettings {
  /** The address to which spans are posted. */
  readonly url: string;
  /** The share of traced requests, 0 to 1. A caller can exclude its request but cannot force a trace. */
  readonly sampledShare: number;
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
  /** How long a gateway that shuts down still accepts connections, in milliseconds. */
  readonly shutdownDelayMs: number;
  readonly maxEventLoopDelayMs: number;
  readonly rateLimits: RateLimits;
  /** The Redis in which all processes count rate limits together; if absent, each process counts for itself. */
  readonly redisUrl: string | undefined;
  /** The other gateway's address for browsers, for the link at `/docs`; no link if absent. */
  readonly otherGatewayUrl: string | undefined;
}

/**
 * `TRUST_PROXY`: a number of hops, or addresses and CIDRs. "Trust everyone" is not allowed: it would let callers forge
 * addresses.
 */
const readTrustProxy = (read: EnvironmentReader): TrustProxy => {
  const parts = read.list('TRUST_PROXY', []);
  const [first] = parts;
  if (first === undefined) return false;
  if (parts.length === 1 && /^\d{1,2}$/.test(first)) return first === '0' ? false : Number(first);
  if (!parts.every(isAddressRange)) {
    read.problem('TRUST_PROXY', 'must be a number of hops or a list of addresses and CIDRs');
  } else if (coverEverything(parts)) {
    read.problem(
      'TRUST_PROXY',
      'must not contain every address: each caller could then choose the address that counts',
    );
  } else return parts;
  return false;
};

/** Reads `ADMIN_PORT` and `ADMIN_HOST`. The port must differ from the API's, because the API is public. */
const readAdmin = (read: EnvironmentReader, port: number | undefined): AdminAddress | undefined => {
  const host = read.string('ADMIN_HOST', '127.0.0.1');
  if (read.optionalString('ADMIN_PORT') === undefined) return undefined;
  const admin = { host, port: read.port('ADMIN_PORT', { min: 1 }) };
  if (admin.port === port) read.problem('ADMIN_PORT', 'must differ from PORT');
  return admin;
};

const web = { schemes: ['http', 'https'] };

/** Reads the standard variables of OpenTelemetry, so that a platform's settings for all services work here too. */
const readTracingSettings = (read: EnvironmentReader): TracingSettings | undefined => {
  const endpoint = read.optionalUrl('OTEL_EXPORTER_OTLP_ENDPOINT', web);
  const shareText = read.optionalString('OTEL_TRACES_SAMPLER_ARG') ?? '1';
  const share = /^\d(\.\d{1,9})?$/.test(shareText) ? Number(shareText) : Number.NaN;
  const sampler = read.choice(
    'OTEL_TRACES_SAMPLER',
    ['parentbased_always_on', 'parentbased_traceidratio'],
    'parentbased_always_on',
  );
  if (!(share <= 1)) read.problem('OTEL_TRACES_SAMPLER_ARG', 'must be a number from 0 to 1');
  const sampledShare = sampler === 'parentbased_always_on' ? 1 : share;
  // Port 4317 speaks gRPC and would silently drop everything.
  if (read.optionalString('OTEL_EXPORTER_OTLP_PROTOCOL') === 'grpc') {
    read.problem('OTEL_EXPORTER_OTLP_PROTOCOL', 'must be http/json: traces are sent over HTTP, usually to port 4318');
  }
  if (endpoint === undefined) return undefined;
  return { url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, sampledShare };
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
  const port = read.port('PORT', { min: 0, fallback: defaults.port });
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
    shutdownDelayMs: read.integer('SHUTDOWN_DELAY_MS', { min: 0, max: 60_000, fallback: 0 }),
    maxEventLoopDelayMs: read.integer('MAX_EVENT_LOOP_DELAY_MS', { min: 1, max: 1_000_000, fallback: 500 }),
    rateLimits: {
      list: limit('LIST', defaultRateLimits.list),
      search: limit('SEARCH', defaultRateLimits.search),
      inbound: limit('INBOUND', defaultRateLimits.inbound),
      bulk: limit('BULK', defaultRateLimits.bulk),
      failedAuth: limit('FAILED_AUTH', defaultRateLimits.failedAuth),
    },
    otherGatewayUrl: read.optionalUrl('OTHER_GATEWAY_URL', web),
    redisUrl: read.optionalUrl('REDIS_URL', { schemes: ['redis', 'rediss'] }),
  };
};
