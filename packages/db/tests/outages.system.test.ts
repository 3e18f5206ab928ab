import { setTimeout as sleep } from 'node:timers/promises';
import { isFailure } from '@crm/domain';
import { type OwnPostgres, startOwnPostgres } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../src/database.js';

const organizationId = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
const statement = { text: 'SELECT $1::uuid AS id FROM pg_sleep(0.01)', values: [] };
const callers = 20;
const hangGuardMs = 60_000;

let server: OwnPostgres;
let database: Database;

beforeAll(async () => {
  server = await startOwnPostgres();
  database = openDatabase({ url: server.url, applicationName: 'outages-test', maxConnections: 5 });
});
afterAll(async () => {
  await database.close();
  await server.stop();
});

/** Runs statements in parallel and without a pause, until it is stopped. */
const startLoad = () => {
  let isOver = false;
  let served = 0;
  let refused = 0;
  let slowestMs = 0;
  const unexpected: unknown[] = [];
  const call = async (n: number): Promise<void> => {
    while (!isOver) {
      const startedAtMs = performance.now();
      try {
        const [row] = await database.query<{ id: string }>(organizationId(n), statement);
        if (row?.id !== organizationId(n)) unexpected.push(row);
        served += 1;
      } catch (error) {
        if (!isFailure(error, 'unavailable')) unexpected.push(error);
        refused += 1;
        await sleep(5);
      }
      slowestMs = Math.max(slowestMs, performance.now() - startedAtMs);
    }
  };
  const running = Array.from({ length: callers }, (_, n) => call(n));
  return {
    /** Waits until a statement succeeds again. @returns how long that took, in milliseconds */
    untilServed: async (): Promise<number> => {
      const startedAtMs = performance.now();
      const before = served;
      while (served === before) {
        await sleep(5);
        if (performance.now() - startedAtMs > hangGuardMs) throw new Error('No statement succeeds any more');
      }
      return performance.now() - startedAtMs;
    },
    /** Waits for the end of all statements. */
    stop: async () => {
      isOver = true;
      await Promise.all(running);
      return { served, refused, slowestMs, unexpected };
    },
  };
};

describe('R15: every statement ends, and statements succeed again without help, if the server', () => {
  const hang = async (forMs: number): Promise<void> => {
    const resume = await server.pause();
    await sleep(forMs);
    resume();
  };
  test.each<[string, () => Promise<void>]>([
    [
      'is killed and started 3 s later',
      () =>
        server
          .kill()
          .then(() => sleep(3_000))
          .then(() => server.start()),
    ],
    ['hangs for 4 s', () => hang(4_000)],
    ['hangs for longer than any response may take', () => hang(8_000)],
    ['is restarted', () => server.shutDown().then(() => server.start())],
  ])('%s', async (name, fail) => {
    const load = startLoad();
    await load.untilServed();
    await fail();
    const backMs = await load.untilServed();
    const { served, refused, slowestMs, unexpected } = await load.stop();
    process.stdout.write(
      `R15: ${name}: serving ${Math.round(backMs)} ms after the server was back; ${served} served, ${refused} refused, the slowest after ${Math.round(slowestMs)} ms\n`,
    );
    expect(unexpected).toEqual([]);
    expect(slowestMs).toBeLessThan(hangGuardMs);
    expect(database.connections.waitingCount).toBe(0);
    expect(database.connections.totalCount).toBeLessThanOrEqual(5);
  });
});
