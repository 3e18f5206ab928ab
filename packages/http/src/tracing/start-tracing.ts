import { context, diag, DiagLogLevel, propagation, trace } from '@opentelemetry/api';
import type { Logger } from 'pino';
import type { TracingSettings } from './tracing-settings.js';

const warnEveryMs = 10 * 60_000;

/** Every part is loaded here only: a gateway without tracing neither loads nor runs any of it. */
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
 * Samples a share of the requests, by chance: the id of a trace is the caller's to choose. A caller without a key can send
 * any `traceparent`, so its "sampled" adds nothing to the share; its "not sampled" is honoured. The statements of a request
 * follow the request.
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
 * Sends what is traced in this process to an OTLP collector, as JSON over HTTP. `OTEL_SERVICE_NAME`,
 * `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_EXPORTER_OTLP_HEADERS` are read by the library. A collector that is away costs
 * spans and a warning in the log now and then, and no request.
 * @returns what sends the rest and ends it
 */
export const startTracing = async (
  settings: TracingSettings,
  serviceName: string,
  logger: Logger,
): Promise<() => Promise<void>> => {
  const sdk = await loadSdk();
  let lastWarningMs = Number.NEGATIVE_INFINITY;
  const warn = (message: string): void => {
    // A collector that is away fails at every batch.
    if (performance.now() - lastWarningMs < warnEveryMs) return;
    lastWarningMs = performance.now();
    logger.warn({ detail: message }, 'traces cannot be sent; told every ten minutes while that lasts');
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
