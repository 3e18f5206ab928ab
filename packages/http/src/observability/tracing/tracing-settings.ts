import type { EnvironmentReader } from '../../environment.js';

/** Where traces are sent, and the share of traced requests. */
export interface TracingSettings {
  /** The address to which spans are posted. */
  readonly url: string;
  /** The share of traced requests, 0 to 1. A caller can exclude its request but cannot force a trace. */
  readonly sampledShare: number;
}

const web = { schemes: ['http', 'https'] };

/** Reads the standard variables of OpenTelemetry, so that a platform's settings for all services work here too. */
export const readTracingSettings = (read: EnvironmentReader): TracingSettings | undefined => {
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
