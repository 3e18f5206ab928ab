import { writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Event } from '@crm/client';
import { type Collector, findFreePort, reportFigure, startCollector } from '@crm/testing';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import { runCrm } from './support/run-crm.js';
import { type OwnStack, startOwnStack } from './support/running-stack.js';

const rows = 8_800;
/** Guards against hangs only: the import takes about a minute. */
const hangGuardMs = 600_000;
jest.setTimeout(hangGuardMs);

let stack: OwnStack;
let collector: Collector;
let port: number;
let server: Server;
let webhookId: string;
let secret: string;
/** Every message with a valid signature that was answered 200. */
const accepted: { readonly id: string; readonly data: Event }[] = [];
let forged = 0;

const receive = async (): Promise<void> => {
  server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const headers = request.headers as Record<string, string>;
      try {
        const { data } = new Webhook(secret).verify(Buffer.concat(chunks).toString('utf8'), headers) as { data: Event };
        accepted.push({ id: headers['webhook-id'] ?? '', data });
        response.end();
      } catch {
        forged += 1;
        response.writeHead(400).end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
};

/** Breaks all connections, as when the receiver's process is killed. */
const kill = async (): Promise<void> => {
  const closed = new Promise((resolve) => server.close(resolve));
  server.closeAllConnections();
  await closed;
};

const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  const deadlineMs = performance.now() + hangGuardMs / 2;
  while (!(await holds()) && performance.now() < deadlineMs) await sleep(50);
};

beforeAll(async () => {
  collector = await startCollector();
  stack = await startOwnStack(undefined, {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    WEBHOOK_RETRY_SCHEDULE: `0${',0.5'.repeat(100)}`,
  });
  port = await findFreePort();
  const args = ['webhook', 'create', `http://127.0.0.1:${port}/hook`, '--json'];
  const created = JSON.parse((await runCrm(args, stack.env)).stdout) as Record<'webhook_id' | 'secret', string>;
  ({ webhook_id: webhookId, secret } = created);
  await receive();
});
afterAll(async () => {
  await stack.end();
  await kill();
  await collector.stop();
});

test('a delivery continues the trace of the write', async () => {
  const traceId = '0af7651916cd43dd8448eb211c80319c';
  const response = await fetch(`${stack.demo['inbound_url']}/v1/inbound/accounts`, {
    method: 'POST',
    headers: {
      'x-api-key': stack.demo['api_key'] ?? '',
      'content-type': 'application/json',
      traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    },
    body: JSON.stringify({ domain: 'traced.example' }),
  });
  expect(response.status).toBe(200);
  const spans = () => collector.spans.filter((span) => span.traceId === traceId);
  const find = (name: string) => spans().find((span) => span.name === name);
  await until(() => find('deliver webhook') !== undefined && find('createAccount') !== undefined);
  expect(spans().map(({ spanId }) => spanId)).toContain(find('deliver webhook')?.parentSpanId);
});

test(`R25: a receiver that is killed twice during an import of ${rows} rows gets exactly the events of the log`, async () => {
  const file = join(stack.directory, 'deals.csv');
  const lines = Array.from({ length: rows }, (_, row) => `Deal ${row},${row},account${row % 400}.example`);
  await writeFile(file, `Name,Value,Domain\n${lines.join('\n')}\n`);
  const mapping = join(stack.directory, 'deals.yaml');
  const fields =
    'name: { column: Name }, amount: { column: Value, transform: [number] }, account_domain: { column: Domain }';
  await writeFile(mapping, `object: opportunity\npipeline: Sales\nfields: { ${fields} }\n`);
  const imported = runCrm(['import', file, '--mapping', mapping, '--json'], stack.env);
  for (const count of [1_000, 5_000]) {
    await until(() => accepted.length >= count);
    await kill();
    await sleep(1_500);
    await receive();
  }
  expect(await imported).toMatchObject({ exitCode: 0 });
  const log = new Map<number, string>();
  const first = accepted[0]?.data.position ?? 0;
  for await (const page of stack.client.events.iterate({ after: first - 1, wait: 0 }).pages()) {
    for (const event of page.events) log.set(event.position, event.id);
    if (!page.has_more) break;
  }
  const received = () => new Map(accepted.map(({ id, data }) => [data.position, id]));
  await until(() => received().size >= log.size);
  const lost = [...log].filter(([position, id]) => received().get(position) !== id).length;
  const repeated = accepted.length - received().size;
  reportFigure('R25', `events lost of ${log.size} of an import with two kills of the receiver`, lost, 0);
  process.stdout.write(`webhooks: ${repeated} of ${log.size} events arrived twice\n`);
  const { attempts } = (await stack.client.webhooks.attempts(webhookId, { limit: 500 }).page()).data;
  expect(attempts.map(({ outcome }) => outcome)).toContain('failed');
  expect([lost, forged, log.size > rows, received().size]).toEqual([0, 0, true, log.size]);
});
