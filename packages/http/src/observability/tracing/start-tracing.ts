import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { TracingSettings } from '../../gateway-settings.js';

const warnEveryMs = 10 * 60_000;

/** The SDK is loaded only here, so a gateway without tracing never loads it. */
const loadSdk = async () => {
  const [sdk, hooks, core, exporter, resources] = await Promise.all([
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/context-async-hooks'),
    import('@opentelemetry/core'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ]);
  return { ...sdk, ...hooks, ...core, ...exporter, ...resources };
};

/**
 * Samples a random share of the requests, and the statements of these requests. Anybody can send a `traceparent`, so
 * neither its trace id nor its "sampled" flag affects the share. A request whose `traceparent` says "not sampled" is
 * not sampled.
 */
const sampleShare = (sdk: Awaited<ReturnType<typeof loadSdk>>, share: number) => {
  const byChance = {
    shouldSample: () => ({
      decision: Math.random() < share ? sdk.SamplingDecision.RECORD_AND_SAMPLED : sdk.SamplingDecision.NOT_RECORD,
    }),
    toString: () => `Share{${share}}`,
  };
  return new sdk.ParentBasedSampler({ root: byChance, remoteParentSampled: byChance });
};

/**
 * Sends the traces of this process to an OTLP collector, as JSON over HTTP. The library reads `OTEL_SERVICE_NAME`,
 * `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_EXPORTER_OTLP_HEADERS`. While a collector is unreachable, spans are lost and a
 * warning is logged now and then; requests are not affected.
 * @returns a function that sends the remaining spans and stops
 */
export const startTracing = async (
  settings: TracingSettings,
  serviceName: string,
  logger: Logger,
): Promise<() => Promise<void>> => {
  const sdk = await loadSdk();
  let lastWarningMs = Number.NEGATIVE_INFINITY;
  const warn = (message: string): void => {
    // Logged at intervals, because every batch to an unreachable collector fails.
    if (performance.now() - lastWarningMs < warnEveryMs) return;
    lastWarningMs = performance.now();
    logger.warn({ detail: message }, 'traces cannot be sent (logged at most every ten minutes)');
  };
  diag.setLogger({ error: warn, warn, info: warn, debug: warn, verbose: warn }, DiagLogLevel.WARN);
  const provider = new sdk.TracerProvider({
    resource: sdk
      .defaultResource()
      .merge(sdk.resourceFromAttributes({ 'service.name': serviceName }))
      .merge(sdk.detectResources({ detectors: [sdk.envDetector] })),
    sampler: sampleShare(sdk, settings.sampledShare),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter: new sdk.OTLPTraceExporter({ url: settings.url }) })],
  });
  context.setGlobalContextManager(new sdk.AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new sdk.W3CTraceContextPropagator());
  trace.setGlobalTracerProvider(provider);
  return () => provider.shutdown();
};
