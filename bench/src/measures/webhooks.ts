import { randomBytes, randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { insertWebhook, openDatabase } from '@crm/db';
import { encryptSecret, newSecret } from '@crm/webhooks';
import pg from 'pg';
import { benchFolder } from '../bench-server.js';
import { dealSql } from '../contestants/deal.js';
import { insertOrganization } from '../dataset/setup-rows.js';
import { organizationLayout } from '../dataset/layout.js';
import { startServerProcess } from '../harness/child.js';
import { percentile } from '../harness/statistics.js';
import type { MeasureGroup, Run } from '../harness/run.js';

const workerFile = fileURLToPath(new URL('../../../apps/webhook-worker/dist/main.js', import.meta.url));
const key = randomBytes(32);
/** The events of one new deal with an account and two contacts. */
const eventsPerDeal = 4;
/** Organizations of this measure, after those of the data. Only the first one gets deals. */
const firstNumber = 101;

/** Receives everything. Requests below `/dead` get no answer. */
class Receiver {
  /** Milliseconds from the write of an event to its arrival, by path. */
  readonly #delays = new Map<string, number[]>();
  readonly #server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.once('end', () => {
      const path = request.url ?? '';
      if (path === '/dead') return;
      const { timestamp } = JSON.parse(Buffer.concat(chunks).toString('utf8')) as { timestamp: string };
      this.delaysOf(path).push(Date.now() - Date.parse(timestamp));
      response.end();
    });
  });

  async listen(): Promise<void> {
    await new Promise<void>((done) => this.#server.listen(0, '127.0.0.1', done));
  }

  urlOf(path: string): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}${path}`;
  }

  delaysOf(path: string): number[] {
    const delays = this.#delays.get(path) ?? [];
    this.#delays.set(path, delays);
    return delays;
  }

  get count(): number {
    return [...this.#delays.values()].reduce((sum, delays) => sum + delays.length, 0);
  }

  /** The delays since the last call. */
  take(): readonly number[] {
    const all = [...this.#delays.values()].flat();
    this.#delays.clear();
    return all;
  }

  close(): void {
    this.#server.closeAllConnections();
    this.#server.close();
  }
}

/** The database, the receiver and what the cases do with them. */
const openScene = async (run: Run) => {
  const url = await run.server.copy(await run.server.database(run.sizes[0]));
  const client = new pg.Pool({ connectionString: url, max: 4 });
  const database = openDatabase({ url, applicationName: 'bench', maxConnections: 2 });
  const receiver = new Receiver();
  await receiver.listen();
  const connection = await client.connect();
  const organizations = Array.from({ length: 10 }, (_, index) => organizationLayout(firstNumber + index, 0));
  for (const organization of organizations) await insertOrganization(connection, organization, false);
  connection.release();
  const [{ id: organizationId } = { id: '' }] = organizations;
  const sql = await dealSql(url, 0, firstNumber);
  let deals = 0;
  const addDeal = () => client.query(sql.replaceAll(':random', `'${String((deals += 1))}'`));
  const addWebhook = async (path: string, owner = organizationId): Promise<void> => {
    const id = randomUUID();
    const secret = encryptSecret([key], id, newSecret());
    await insertWebhook(database, owner, id, secret, 'bench', { url: receiver.urlOf(path) });
  };
  const startWorker = () =>
    startServerProcess({
      script: workerFile,
      environment: {
        DATABASE_URL: url,
        WEBHOOK_SECRET_KEY: key.toString('base64'),
        WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
        LOG_LEVEL: 'error',
        // As in its image.
        NODE_OPTIONS: '--max-old-space-size=96 --max-semi-space-size=2',
      },
      logFile: resolve(benchFolder, 'webhook-worker.log'),
      portVariable: 'ADMIN_PORT',
      readyPath: '/readyz',
    });
  const deleteWebhooks = () => client.query('DELETE FROM webhook_endpoints');
  const close = async (): Promise<void> => {
    receiver.close();
    await Promise.all([client.end(), database.close()]);
  };
  return { client, receiver, organizations, organizationId, addDeal, addWebhook, deleteWebhooks, startWorker, close };
};

type Scene = Awaited<ReturnType<typeof openScene>>;

/** Creates deals at a steady rate. */
const addDeals = async ({ addDeal }: Scene, perSecond: number, seconds: number): Promise<void> => {
  const start = performance.now();
  const running: Promise<unknown>[] = [];
  for (let index = 0; index < perSecond * seconds; index += 1) {
    await sleep(Math.max(0, start + (index * 1_000) / perSecond - performance.now()));
    running.push(addDeal());
  }
  await Promise.all(running);
};

/** Waits until the receiver has got that many messages. */
const received = async ({ receiver }: Scene, count: number): Promise<void> => {
  while (receiver.count < count) await sleep(10);
};

/** The 99th percentile of the delays at 200 events a second, which `endpoints` of them receive as fast as 200 deliveries. */
const delayAt = async (scene: Scene, endpoints: number, seconds: number): Promise<number> => {
  const deals = Math.max(1, Math.round(50 / endpoints)) * seconds;
  scene.receiver.take();
  await addDeals(scene, deals / seconds, seconds);
  await received(scene, deals * eventsPerDeal * endpoints);
  return percentile(scene.receiver.take(), 0.99);
};

/** Deliveries a second of events that are in the log before. */
const backlogRate = async (scene: Scene, events: number): Promise<number> => {
  await scene.deleteWebhooks();
  await scene.addWebhook('/backlog');
  await scene.client.query(
    `UPDATE webhook_endpoints w SET position = h.position - $1 FROM event_heads h WHERE h.organization_id = w.organization_id`,
    [events],
  );
  scene.receiver.take();
  await received(scene, 1);
  const start = performance.now();
  await received(scene, events);
  return (events - 1) / ((performance.now() - start) / 1_000);
};

const megabytesOf = async (pid: number): Promise<number> => {
  const [, kilobytes = 'NaN'] = /^VmHWM:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) / 1_024;
};

/** Statements a second while nothing happens, by the times at which connections began one. */
const idleRate = async (scene: Scene, seconds: number): Promise<number> => {
  await scene.deleteWebhooks();
  for (const { id } of scene.organizations)
    for (let index = 0; index < 100; index += 1) await scene.addWebhook('/idle', id);
  // The worker polls more often for five seconds after an attempt, and the dead endpoint's last one takes fifteen.
  await sleep(25_000);
  const started = async (): Promise<readonly string[]> => {
    const text = `SELECT pid || ' ' || query_start AS started FROM pg_stat_activity
      WHERE application_name LIKE 'crm-webhook-worker %' AND datname = current_database()`;
    return (await scene.client.query<{ started: string }>(text)).rows.map((row) => row.started);
  };
  const before = await started();
  if (before.length === 0) throw new Error('The worker has no connection: nothing was measured');
  const seen = new Set(before);
  const endMs = performance.now() + seconds * 1_000;
  while (performance.now() < endMs) {
    for (const one of await started()) seen.add(one);
    await sleep(20);
  }
  return (seen.size - before.length) / seconds;
};

/** S14: what the webhook worker delivers to a receiver in this process. */
export const webhooks: MeasureGroup = {
  ids: ['S14'],
  measure: async (run) => {
    const scene = await openScene(run);
    const worker = await scene.startWorker();
    try {
      run.log('Webhooks');
      await scene.addWebhook('/steady');
      const steady = await delayAt(scene, 1, run.seconds * 4);
      const events = 4_000;
      await addDeals(scene, 200, events / eventsPerDeal / 200);
      const rates: number[] = [];
      for (let round = 1; round <= run.rounds; round += 1) rates.push(await backlogRate(scene, events));
      const memory = await megabytesOf(worker.pid);
      await scene.deleteWebhooks();
      for (let index = 1; index < 100; index += 1) await scene.addWebhook(`/many/${index}`);
      const alive: number[] = [];
      const beside: number[] = [];
      for (let round = 1; round <= run.rounds; round += 1) {
        alive.push(await delayAt(scene, 99, run.seconds));
        await scene.addWebhook('/dead');
        beside.push(await delayAt(scene, 99, run.seconds));
        await scene.client.query(`DELETE FROM webhook_endpoints WHERE url LIKE '%/dead'`);
      }
      const idle = await idleRate(scene, 10);
      const common = { id: 'S14', size: run.sizes[0] };
      return [
        {
          ...common,
          name: 'write to webhook at 200 events/s, p99',
          values: [steady],
          unit: 'ms',
          target: { at: 'most', value: 1_000 },
        },
        {
          ...common,
          name: 'deliveries of one worker',
          values: rates,
          unit: 'calls/s',
          target: { at: 'least', value: 1_000 },
        },
        { ...common, name: 'memory of the worker', values: [memory], unit: 'MiB', target: { at: 'most', value: 150 } },
        {
          ...common,
          ...{
            name: 'p99 of 99 endpoints beside a dead one against alone',
            unit: '×',
            target: { at: 'most', value: 1.2 },
          },
          values: beside.map((value, round) => value / (alive[round] ?? Number.NaN)),
        },
        {
          ...common,
          name: 'statements for 1,000 idle endpoints',
          values: [idle],
          unit: '1/s',
          target: { at: 'most', value: 1 },
        },
      ];
    } finally {
      await worker.stop();
      await scene.close();
    }
  },
};
