import type { EnvironmentReader } from '../environment.js';

/** Where traces are sent, and of how many requests. */
export interface TracingSettings {
  /** The address to which spans are posted. */
  readonly url: string;
  /** The share of requests that are traced, 0 to 1. A caller can leave its request out, and can ask for no more. */
  readonly sampledShare: number;
}

const web = { schemes: ['http', 'https'] };

/** The OpenTelemetry names, so that what a platform sets for all its services holds for this one too. */
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
  // Port 4317 speaks gRPC, which would swallow everything in silence.
  if (read.optionalString('OTEL_EXPORTER_OTLP_PROTOCOL') === 'grpc') {
    read.problem('OTEL_EXPORTER_OTLP_PROTOCOL', 'must be http/json: traces are sent over HTTP, usually to port 4318');
  }
  if (endpoint === undefined) return undefined;
  return { url: `${endpoint.replace(/\/+$/, '')}/v1/traces`, sampledShare };
};
