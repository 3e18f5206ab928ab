import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { attributeOf, startCollector, type Collector } from '../collector.js';
import { startGatewayProcess } from '../gateway/gateway-process.js';
import { callGateway, type CallerRequest, type GatewaySubject } from './gateway-subject.js';

/** A gateway whose traces are looked at. */
export interface TracedGateway extends GatewaySubject {
  /** What it is called in traces. */
  readonly service: string;
  /** The name of the span of its request, its route, and a part of the statement that it runs. */
  readonly operation: string;
  readonly route: string;
  readonly statement: string;
  /** One that is answered with 200 and has the word `canary` in everything that a caller can choose. */
  readonly canary: CallerRequest;
}

const server = 2;
const client = 3;

const noSpans = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
const noCollector = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };

interface Traced {
  readonly answer: Response;
  /** The log line of the request. */
  readonly line: Readonly<Record<string, unknown>>;
}

/** Sends one request to a gateway of its own, and stops that, which sends what is left. */
const send = async (
  mainFile: string,
  environment: Readonly<Record<string, string>>,
  apiKey: string,
  request: CallerRequest,
): Promise<Traced> => {
  const process = await startGatewayProcess(mainFile, environment);
  const answer = await callGateway(process.url, apiKey, request);
  await answer.text();
  expect(await process.stop()).toBe(0);
  const lines = process.output().split('\n');
  const line = lines.find((each) => each.includes('"msg":"request"') && each.includes('/v1/'));
  return { answer, line: JSON.parse(line ?? '{}') as Record<string, unknown> };
};

/** What both gateways tell a collector of a request: from HTTP to SQL, as spans of one trace, and nothing that a caller sent. */
export const describeTraces = (subject: TracedGateway): void => {
  let prepared: Awaited<ReturnType<TracedGateway['prepare']>>;
  let collector: Collector;
  beforeAll(async () => {
    prepared = await subject.prepare();
    collector = await startCollector();
  });
  afterAll(async () => {
    await prepared.close();
    await collector.stop();
  });

  const sendTraced = (request: CallerRequest, environment: Readonly<Record<string, string>> = {}): Promise<Traced> => {
    collector.spans.length = 0;
    const settings = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...prepared.environment, ...environment };
    return send(subject.mainFile, settings, prepared.apiKey, request);
  };

  describe('traces', () => {
    test('have a span of the request, named by its operation, and one of each statement below it', async () => {
      const { answer, line } = await sendTraced(subject.request());
      expect(answer.status).toBe(200);
      const [request, ...others] = collector.spans.filter(({ kind }) => kind === server);
      expect(others).toEqual([]);
      expect(request).toMatchObject({ name: subject.operation, traceId: line['trace_id'] });
      expect(request && attributeOf(request, 'http.route')).toBe(subject.route);
      expect(request && attributeOf(request, 'http.response.status_code')).toBe(200);
      expect(request && attributeOf(request, 'crm.request_id')).toBe(answer.headers.get('x-request-id'));
      expect(line['request_id']).toBe(answer.headers.get('x-request-id'));
      const statements = collector.spans.filter(({ kind }) => kind === client);
      expect(statements.map((span) => attributeOf(span, 'db.query.text'))).toEqual(
        expect.arrayContaining([expect.stringContaining('FROM api_keys'), expect.stringContaining(subject.statement)]),
      );
      for (const statement of statements) {
        expect(statement).toMatchObject({ traceId: request?.traceId, parentSpanId: request?.spanId });
      }
      expect(collector.services).toEqual(new Set([subject.service]));
    });

    test('go on with the trace of the caller', async () => {
      const traceId = '0af7651916cd43dd8448eb211c80319c';
      const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
      await sendTraced({ ...subject.request(), headers });
      const request = collector.spans.find(({ kind }) => kind === server);
      expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
      expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
    });

    test('hold nothing that a caller sent', async () => {
      const headers = { 'user-agent': 'canaryagent', ...subject.canary.headers };
      const { answer } = await sendTraced({ ...subject.canary, headers });
      expect(answer.status).toBe(200);
      expect(collector.spans.length).toBeGreaterThan(1);
      for (const text of collector.texts) expect(text).not.toMatch(/canary|crm_live_/);
    });

    test('are as few as the operator says, and the log still has their id', async () => {
      const { line } = await sendTraced(subject.request(), noSpans);
      expect(collector.spans).toEqual([]);
      expect(line['trace_id']).toMatch(/^[0-9a-f]{32}$/);
    });

    test('cost no answer when nobody takes them', async () => {
      expect((await sendTraced(subject.request(), noCollector)).answer.status).toBe(200);
    });
  });
};
