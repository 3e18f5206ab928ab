import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { migrate } from '@crm/db';
import { type OwnPostgres, reportFigure, startOwnPostgres, testSize } from '@crm/testing';
import { type Receiver, startReceiver } from './support/receiver.js';
import { openTestLog, type TestLog } from './support/test-log.js';

const kills = testSize({ short: 20, soak: 100 });
const mainFile = new URL('../dist/main.js', import.meta.url).pathname;
const recordCount = 40;
const hangGuardMs = 300_000;

let postgres: OwnPostgres;
let log: TestLog;
let worker: ChildProcess;
let areRepaired = false;
const receivers: Receiver[] = [];
const records = Array.from({ length: recordCount }, () => randomUUID());

/** How a receiver fails at two of three requests, until the last kill. */
const faults: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
  'answers 500': (response) => response.writeHead(500).end(),
  'answers 301': (response) => response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end(),
  hangs: () => true,
  'closes early': (response) => response.destroy(),
  'resets the connection': (response) => response.socket?.resetAndDestroy(),
  'answers garbage': (response) => response.socket?.end('\0\x01garbage\r\n\r\n'),
  'answers a NUL byte and no UTF-8': (response) =>
    response.writeHead(500).end(Buffer.from([0, 0xff, 0xed, 0xa0, 0x80])),
  'asks to wait': (response) => response.writeHead(429, { 'retry-after': '0' }).end(),
  'freezes within its answer': (response) => response.writeHead(200, { 'content-length': 9 }).write('abc'),
  'answers byte by byte': (response) => {
    response.writeHead(200);
    const timer = setInterval(() => response.write('.'), 50);
    response.once('close', () => clearInterval(timer));
  },
  'answers slowly': (response) => {
    setTimeout(() => response.end(), 100);
    return true;
  },
  'is reliable': (response) => response.end(),
};

const start = (): void => {
  worker = spawn(process.execPath, [mainFile], {
    env: {
      PATH: process.env['PATH'],
      DATABASE_URL: postgres.url,
      WEBHOOK_SECRET_KEY: log.keys[0].toString('base64'),
      WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
      WEBHOOK_TIMEOUT_MS: '300',
      WEBHOOK_RETRY_SCHEDULE: Array(200).fill('0.05').join(),
      LOG_LEVEL: 'fatal',
    },
    stdio: 'inherit',
  });
};
const kill = async (): Promise<void> => {
  const exited = once(worker, 'exit');
  worker.kill('SIGKILL');
  await exited;
};

beforeAll(async () => {
  postgres = await startOwnPostgres();
  await migrate(postgres.url);
  log = await openTestLog(postgres.url);
  for (const fault of Object.values(faults)) {
    let turn = 0;
    const receiver = await startReceiver([], (_message, response) => {
      turn += 1;
      return !areRepaired && turn % 3 !== 0 && fault(response);
    });
    receiver.secrets = [(await log.addWebhook(receiver.url)).secret];
    receivers.push(receiver);
  }
  start();
});
afterAll(async () => {
  await kill();
  await Promise.all(receivers.map((receiver) => receiver.close()));
  await log.close();
  await postgres.stop();
});

/** The positions that a receiver accepted out of the order of their record; repetitions of earlier ones are allowed. */
const outOfOrder = ({ accepted }: Receiver): number => {
  const reached = new Map<string, number>();
  const seen = new Set<number>();
  let wrong = 0;
  for (const { data } of accepted) {
    const last = reached.get(data.record_id) ?? 0;
    if (data.position < last && !seen.has(data.position)) wrong += 1;
    seen.add(data.position);
    reached.set(data.record_id, Math.max(last, data.position));
  }
  return wrong;
};

test(
  `R25: delivers every event in the order of its record although receivers fail and the worker is killed ${kills} times`,
  async () => {
    let events = 0;
    for (let round = 0; round < kills; round += 1) {
      await log.append(records);
      events += recordCount;
      await sleep(300 + Math.random() * 700);
      if (round === Math.floor(kills / 2)) {
        await postgres.kill();
        await postgres.start();
      }
      await kill();
      start();
    }
    areRepaired = true;
    const accepted = (receiver: Receiver): number => new Set(receiver.accepted.map(({ data }) => data.position)).size;
    const deadlineMs = performance.now() + hangGuardMs / 2;
    while (receivers.some((receiver) => accepted(receiver) < events) && performance.now() < deadlineMs)
      await sleep(200);
    const lost = receivers.map((receiver) => events - accepted(receiver));
    const wrong = receivers.map(outOfOrder);
    const sum = (numbers: readonly number[]): number => numbers.reduce((total, each) => total + each, 0);
    reportFigure('R25', `events lost of ${events} for each of ${receivers.length} receivers`, sum(lost), 0);
    reportFigure('R25', 'events out of the order of their record', sum(wrong), 0);
    reportFigure('R25', 'forged signatures', sum(receivers.map(({ forged }) => forged)), 0);
    const names = Object.keys(faults);
    expect(Object.fromEntries(names.map((name, index) => [name, lost[index]]))).toEqual(
      Object.fromEntries(names.map((name) => [name, 0])),
    );
    expect(wrong).toEqual(names.map(() => 0));
  },
  hangGuardMs,
);
