import { afterAll, beforeAll, describe, expect, jest, test } from '@jest/globals';
import { startGatewayProcesses } from '@crm/testing';
import { attributeOf, startCollector, type Collector } from './support/collector.js';
import { cursorSecret, startTestGateway, type TestGateway } from './support/gateway.js';

const mainFile = new URL('../dist/main.js', import.meta.url).pathname;
const server = 2;
const client = 3;

// A hang guard: each test starts a gateway of its own.
jest.setTimeout(120_000);

let gateway: TestGateway;
let collector: Collector;
beforeAll(async () => {
  gateway = await startTestGateway();
  collector = await startCollector();
});
afterAll(async () => {
  await gateway.stop();
  await collector.stop();
});

interface Traced {
  readonly answer: Response;
  /** The log line of the request. */
  readonly line: Readonly<Record<string, unknown>>;
}

/** Sends one request to a gateway of its own, and stops that, which sends what is left. */
const sendTraced = async (
  path: string,
  init: { readonly headers?: Readonly<Record<string, string>>; readonly body?: string } = {},
  environment: Readonly<Record<string, string>> = {},
): Promise<Traced> => {
  const [process] = await startGatewayProcesses(1, mainFile, {
    DATABASE_URL: gateway.databaseUrl,
    CURSOR_SECRETS: cursorSecret,
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    // The machine may be busy, which is no overload.
    MAX_EVENT_LOOP_DELAY_MS: '60000',
    ...environment,
  });
  if (process === undefined) throw new Error('no process was started');
  let log = '';
  process.child.stdout?.on('data', (chunk: Buffer) => (log += chunk.toString('utf8')));
  collector.spans.length = 0;
  const answer = await fetch(`${process.url}${path}`, {
    method: init.body === undefined ? 'GET' : 'POST',
    headers: { 'x-api-key': gateway.organization.key, 'content-type': 'application/json', ...init.headers },
    ...(init.body === undefined ? {} : { body: init.body }),
  });
  await answer.text();
  expect(await process.stop()).toBe(0);
  const lines = log.split('\n').filter((line) => line.includes('"msg":"request"') && line.includes('/v1/'));
  return { answer, line: JSON.parse(lines[0] ?? '{}') as Record<string, unknown> };
};

describe('traces', () => {
  test('have a span of the request, named by its operation, and one of each statement below it', async () => {
    const { answer, line } = await sendTraced('/v1/accounts');
    expect(answer.status).toBe(200);
    const [request, ...others] = collector.spans.filter(({ kind }) => kind === server);
    expect(others).toEqual([]);
    expect(request).toMatchObject({ name: 'listAccounts', traceId: line['trace_id'] });
    expect(request && attributeOf(request, 'http.route')).toBe('/v1/accounts');
    expect(request && attributeOf(request, 'http.response.status_code')).toBe(200);
    expect(request && attributeOf(request, 'crm.request_id')).toBe(answer.headers.get('x-request-id'));
    expect(line['request_id']).toBe(answer.headers.get('x-request-id'));
    const statements = collector.spans.filter(({ kind }) => kind === client);
    expect(statements.map((span) => attributeOf(span, 'db.query.text'))).toEqual(
      expect.arrayContaining([expect.stringContaining('FROM api_keys'), expect.stringContaining('accounts')]),
    );
    for (const statement of statements) {
      expect(statement).toMatchObject({ traceId: request?.traceId, parentSpanId: request?.spanId });
    }
    expect(collector.services).toEqual(new Set(['crm-read-gateway']));
  });

  test('go on with the trace of the caller', async () => {
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    await sendTraced('/v1/accounts', { headers: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } });
    const request = collector.spans.find(({ kind }) => kind === server);
    expect(request).toMatchObject({ traceId, parentSpanId: 'b7ad6b7169203331' });
    expect(new Set(collector.spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  });

  test('hold nothing that a caller sent', async () => {
    const body = JSON.stringify({
      query: 'canaryword',
      filters: [{ field: 'domain', operator: 'contains', value: 'canaryvalue' }],
    });
    const { answer } = await sendTraced('/v1/accounts/search?', { body, headers: { 'user-agent': 'canaryagent' } });
    expect(answer.status).toBe(200);
    expect(collector.spans.length).toBeGreaterThan(1);
    for (const text of collector.texts) expect(text).not.toMatch(/canary|crm_live_/);
  });

  test('are as few as the operator says, and the log still has their id', async () => {
    const sampler = { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0' };
    const { line } = await sendTraced('/v1/accounts', {}, sampler);
    expect(collector.spans).toEqual([]);
    expect(line['trace_id']).toMatch(/^[0-9a-f]{32}$/);
  });

  test('cost no answer when nobody takes them', async () => {
    const nobody = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    expect((await sendTraced('/v1/accounts', {}, nobody)).answer.status).toBe(200);
  });
});
