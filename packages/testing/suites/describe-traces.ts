import { beforeAll, describe, expect, test } from '@jest/globals';

import { attributeOf, type CollectedSpan, type Collector, startCollector, startGatewayProcess } from '@crm/testing';

/** A request as a caller sends it; a POST if it has a body. */
interface CallerRequest {
  readonly path: string;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A gateway whose traces are checked. */
interface TracedGateway {
  /** The configuration for a database with an organization, the organization's key, and a function that closes everything. */
  readonly prepare: () => Promise<{
    readonly environment: Readonly<Record<string, string>>;
    readonly apiKey: string;
    readonly close: () => Promise<void>;
  }>;
  /** A request that gets 200 every time. */
  readonly request: () => CallerRequest;
  readonly app: 'read-gateway' | 'inbound-gateway';
  /** The method, the operation and the route of its request, and a part of the statement that it runs. */
  readonly method: string;
  readonly operation: string;
  readonly route: string;
  readonly statement: string;
  /** A request that gets 200 and contains the word `canary` in all the values that must not be in a trace. */
  readonly canary: CallerRequest;
}

const server = 2;
const client = 3;

const noSpans = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
const halfOfSpans = { ...noSpans, OTEL_TRACES_SAMPLER_ARG: '0.5', RATE_LIMIT_FAILED_AUTH: '0' };
const noCollector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:2' };

interface Traced {
  readonly answer: Response;
  /** The log line of the request. */
  readonly line: Readonly<Record<string, unknown>>;
  /** The spans of its trace. */
  readonly spans: readonly CollectedSpan[];
}

interface TracedRun {
  /** In the order of the requests. */
  readonly traced: readonly Traced[];
  readonly collector: Collector;
}

/** Sends requests to a new gateway and stops it, which sends the last spans. */
const runTraced = async (
  { app }: TracedGateway,
  { environment, apiKey }: Awaited<ReturnType<TracedGateway['prepare']>>,
  requests: readonly CallerRequest[],
  tracing: Readonly<Record<string, string>> = {},
): Promise<TracedRun> => {
  const collector = await startCollector();
  try {
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...environment, ...tracing };
    const process = await startGatewayProcess(app, settings);
    const answers: Response[] = [];
    for (const { path, body, headers } of requests) {
      const answer = await fetch(`${process.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: { 'x-api-key': apiKey, 'content-type': 'application/json', ...headers },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      await answer.text();
      answers.push(answer);
    }
    expect(await process.stop()).toBe(0);
    const lines = process.output().split('\n');
    const traced = answers.map((answer) => {
      const id = answer.headers.get('x-request-id') ?? '';
      const text = lines.find((each) => each.includes('"msg":"request"') && each.includes(id));
      const line = JSON.parse(text ?? '{}') as Record<string, unknown>;
      return { answer, line, spans: collector.spans.filter(({ traceId }) => traceId === line['trace_id']) };
    });
    return { traced, collector };
  } finally {
    await collector.stop();
  }
};

const only = ({ traced }: TracedRun, index = 0): Traced => {
  const one = traced[index];
  if (one === undefined) throw new Error('no such request');
  return one;
};

const callersTraceId = '0af7651916cd43dd8448eb211c80319c';
/** The lowest trace id, which a sampler by trace id would always accept. */
const lowestTraceId = `${'0'.repeat(31)}1`;

/** A request with the trace of its caller. `flags` is `01` if the caller records the trace. */
const tracedRequest = (subject: TracedGateway, traceId: string, flags: string): CallerRequest => ({
  ...subject.request(),
  headers: { traceparent: `00-${traceId}-b7ad6b7169203331-${flags}` },
});

/** The share of requests with spans is up to the operator, not the caller. */
const describeSampling = (subject: TracedGateway): void => {
  let withoutSpans: TracedRun;
  let halfWithoutKey: TracedRun;

  beforeAll(async () => {
    const prepared = await subject.prepare();
    const asked = tracedRequest(subject, lowestTraceId, '01');
    const fortyTimes = Array.from({ length: 40 }, () => asked);
    try {
      [withoutSpans, halfWithoutKey] = await Promise.all([
        runTraced(subject, prepared, [subject.request(), asked], noSpans),
        runTraced(subject, { ...prepared, apiKey: '' }, fortyTimes, halfOfSpans),
      ]);
    } finally {
      await prepared.close();
    }
  });

  test('are as few as the operator chose, and the log still has the trace id', () => {
    expect(withoutSpans.collector.spans).toEqual([]);
    expect(only(withoutSpans).line['trace_id']).toMatch(/^[0-9a-f]{32}$/);
  });

  test('do not become more because a caller asks for them, with or without a key', () => {
    expect(only(withoutSpans, 1).line['trace_id']).toBe(lowestTraceId);
    expect(halfWithoutKey.traced.map(({ answer }) => answer.status)).toEqual(Array.from({ length: 40 }, () => 401));
    const requests = halfWithoutKey.collector.spans.filter(({ kind }) => kind === server);
    expect(requests.length).toBeGreaterThan(0);
    expect(requests.length).toBeLessThan(40);
  });
};

/**
 * The spans that both gateways send to a collector: one trace per request, from HTTP to SQL, without values of the
 * request.
 */
export const describeTraces = (subject: TracedGateway): void => {
  let usual: TracedRun;
  let withoutCollector: TracedRun;

  beforeAll(async () => {
    const prepared = await subject.prepare();
    try {
      const requests = [
        subject.request(),
        tracedRequest(subject, callersTraceId, '01'),
        { ...subject.canary, headers: { 'user-agent': 'canaryagent', ...subject.canary.headers } },
        tracedRequest(subject, lowestTraceId, '00'),
      ];
      [usual, withoutCollector] = await Promise.all([
        runTraced(subject, prepared, requests),
        runTraced(subject, prepared, [subject.request()], noCollector),
      ]);
    } finally {
      await prepared.close();
    }
  });

  describe('sampled traces', () => describeSampling(subject));

  describe('traces', () => {
    test('contain a span of the request, named by its method and route, and one span per statement', () => {
      const { answer, line, spans } = only(usual);
      expect(answer.status).toBe(200);
      const [request, ...others] = spans.filter(({ kind }) => kind === server);
      expect(others).toEqual([]);
      expect(usual.collector.spans.filter(({ kind }) => kind === server)).toHaveLength(usual.traced.length - 1);
      expect(request).toMatchObject({ name: `${subject.method} ${subject.route}`, traceId: line['trace_id'] });
      // The first three, the status and the route are required by the semantic conventions of HTTP.
      const expected = {
        ...{ 'http.request.method': subject.method, 'url.scheme': 'http', 'url.path': subject.route },
        ...{ 'http.route': subject.route, 'http.response.status_code': 200, 'network.protocol.version': '1.1' },
        ...{ 'crm.operation': subject.operation, 'crm.request_id': answer.headers.get('x-request-id') },
      };
      const found = Object.keys(expected).map((name) => [name, request && attributeOf(request, name)]);
      expect(Object.fromEntries(found)).toEqual(expected);
      expect(line['request_id']).toBe(answer.headers.get('x-request-id'));
      const statements = spans.filter(({ kind }) => kind === client);
      expect(statements.map((span) => attributeOf(span, 'db.query.text'))).toEqual(
        expect.arrayContaining([expect.stringContaining('FROM api_keys'), expect.stringContaining(subject.statement)]),
      );
      for (const statement of statements) {
        expect(statement).toMatchObject({ traceId: request?.traceId, parentSpanId: request?.spanId });
      }
      expect(usual.collector.services).toEqual(new Set([`crm-${subject.app}`]));
    });

    test('continue the trace of the caller', () => {
      const { line, spans } = only(usual, 1);
      expect(line['trace_id']).toBe(callersTraceId);
      const request = spans.find(({ kind }) => kind === server);
      expect(request).toMatchObject({ traceId: callersTraceId, parentSpanId: 'b7ad6b7169203331' });
    });

    test('are not sent if the caller does not record them', () => {
      const { answer, line, spans } = only(usual, 3);
      expect([answer.status, line['trace_id'], spans]).toEqual([200, lowestTraceId, []]);
    });

    test('contain no value that a caller sent, except a request id', () => {
      const { answer, spans } = only(usual, 2);
      expect(answer.status).toBe(200);
      expect(spans.length).toBeGreaterThan(1);
      for (const text of usual.collector.texts) expect(text).not.toMatch(/canary|crm_live_/);
      const request = spans.find(({ kind }) => kind === server);
      const isQueried = subject.canary.path.endsWith('=update');
      expect(request && attributeOf(request, 'url.query')).toBe(isQueried ? 'REDACTED' : undefined);
    });

    test('refuse no request if no collector accepts them', () => {
      expect(only(withoutCollector).answer.status).toBe(200);
    });
  });
};
