import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { attributeOf, startCollector } from '@crm/testing';
import { expect, test } from '@jest/globals';
import { runCrm } from './support/run-crm.js';
import { startOwnStack } from './support/running-stack.js';

/** A guard against hanging. */
const patienceMs = 60_000;

test('a delivery continues the trace of the write', async () => {
  const collector = await startCollector();
  const receiver = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  const stack = await startOwnStack({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url });
  try {
    const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
    expect(await runCrm(['api', 'POST', '/v1/inbound/webhooks', '-f', `url=${url}`], stack.env)).toMatchObject({
      exitCode: 0,
    });
    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const headers = {
      ...{ 'x-api-key': stack.demo['api_key'] ?? '', 'content-type': 'application/json' },
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    };
    const body = JSON.stringify({ domain: 'traced.example' });
    const path = `${stack.demo['inbound_url']}/v1/inbound/accounts`;
    expect((await fetch(path, { method: 'POST', headers, body })).status).toBe(200);
    const spans = () => collector.spans.filter((span) => span.traceId === traceId);
    const find = (name: string) => spans().find((span) => span.name === name);
    const deadlineMs = performance.now() + patienceMs;
    const isTraced = () => find('POST') !== undefined && find('POST /v1/inbound/accounts') !== undefined;
    while (!isTraced() && performance.now() < deadlineMs) await sleep(50);
    const delivery = find('POST');
    expect(spans().map(({ spanId }) => spanId)).toContain(delivery?.parentSpanId);
    const { port } = receiver.address() as AddressInfo;
    const required = ['http.request.method', 'server.address', 'server.port', 'url.full', 'http.response.status_code'];
    expect(required.map((name) => delivery && attributeOf(delivery, name))).toEqual([
      ...['POST', '127.0.0.1', port, `http://127.0.0.1:${port}/REDACTED`],
      200,
    ]);
  } finally {
    await stack.end();
    receiver.close();
    await collector.stop();
  }
}, 300_000);
