import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import type { Answer } from '../client/answer.js';
import { type FaultProxy, startFaultProxy } from '../fault-proxy.js';
import type { GatewayProcess } from '../gateway/gateway-process.js';

/** A gateway whose database fails. */
export interface FaultySubject {
  readonly process: GatewayProcess;
  /** A request that needs the database, another one each time. */
  readonly request: () => Promise<Answer>;
  /** Lets its role have no connection to the database, nor keep one; or lets it again. */
  readonly setConnectionsAllowed: (areAllowed: boolean) => Promise<void>;
}

export interface DatabaseFaultsOptions {
  /** Makes a database for one gateway. */
  readonly prepare: () => Promise<{
    /** Of a role that is no superuser. */
    readonly databaseUrl: string;
    /** Starts the gateway in a process of its own; it reaches the database at this address. */
    readonly start: (databaseUrl: string) => Promise<FaultySubject>;
    readonly close: () => Promise<void>;
  }>;
}

const parallel = 20;
const hangGuardMs = 80_000;

const statusOf = async ({ url }: GatewayProcess, path: string): Promise<number> =>
  (await fetch(`${url}${path}`)).status;

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + hangGuardMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`It did not come to this in ${hangGuardMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
};

/** What a test asks of a gateway, whether its database is well or not. */
const observe = (subject: FaultySubject) => {
  const isServing = async (): Promise<boolean> => (await subject.request()).status === 200;

  /** Many requests at once: what they answer, and how long the slowest took. */
  const requests = async (): Promise<{ readonly answers: readonly Answer[]; readonly slowestMs: number }> => {
    const startedAtMs = performance.now();
    const answers = await Promise.all(Array.from({ length: parallel }, () => subject.request()));
    return { answers, slowestMs: Math.round(performance.now() - startedAtMs) };
  };

  /** What a fault looks like from outside. @returns how long the slowest answer took */
  const expectRefusals = async (): Promise<number> => {
    // The first ones may still find a connection or a key at hand.
    await until('it notices', async () => !(await isServing()));
    const { answers, slowestMs } = await requests();
    for (const { status, headers } of answers) {
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await statusOf(subject.process, '/livez')).toBe(200);
    await until('it is not ready', async () => (await statusOf(subject.process, '/readyz')) === 503);
    return slowestMs;
  };

  /** Waits until all is well. @returns how long that took */
  const expectRecovery = async (): Promise<number> => {
    const startedAtMs = performance.now();
    await until('it serves', isServing);
    const recoveryMs = Math.round(performance.now() - startedAtMs);
    await until('it is ready', async () => (await statusOf(subject.process, '/readyz')) === 200);
    const { answers, slowestMs } = await requests();
    expect(answers.map(({ status }) => status)).toEqual(Array(parallel).fill(200));
    expect(subject.process.child.exitCode).toBeNull();
    process.stdout.write(`${parallel} requests without a fault took ${slowestMs} ms\n`);
    return recoveryMs;
  };

  return { requests, expectRefusals, expectRecovery };
};

/** A gateway on a database that can fail, and what to end with it. */
interface Faulty {
  readonly proxy: FaultProxy;
  readonly subject: FaultySubject;
  readonly stop: () => Promise<void>;
}

const startFaulty = async (options: DatabaseFaultsOptions): Promise<Faulty> => {
  const { databaseUrl, start, close } = await options.prepare();
  const proxy = await startFaultProxy(databaseUrl);
  const subject = await start(proxy.url);
  return {
    proxy,
    subject,
    stop: async () => {
      await subject.process.stop();
      await proxy.stop();
      await close();
    },
  };
};

interface Fault {
  readonly name: string;
  readonly begin: (faulty: Faulty) => unknown;
  readonly end: (faulty: Faulty) => Promise<void>;
}

const restore = ({ proxy }: Faulty): Promise<void> => proxy.restore();

const faults: readonly Fault[] = [
  { name: 'refuses connections', begin: ({ proxy }) => proxy.refuse(), end: restore },
  {
    name: 'has no connection left for the gateway',
    begin: ({ subject }) => subject.setConnectionsAllowed(false),
    end: ({ subject }) => subject.setConnectionsAllowed(true),
  },
  { name: 'says nothing, and connections stand half open', begin: ({ proxy }) => proxy.silence(), end: restore },
  { name: 'answers too late for any time limit', begin: ({ proxy }) => proxy.delay(8_000), end: restore },
];

/** Lets one gateway meet one fault. @throws when the gateway does not answer as it should */
const meetFault = async (faulty: Faulty, { name, begin, end }: Fault): Promise<void> => {
  const { expectRefusals, expectRecovery } = observe(faulty.subject);
  try {
    await expectRecovery();
    let slowestMs: number;
    try {
      await begin(faulty);
      slowestMs = await expectRefusals();
    } finally {
      await end(faulty);
    }
    const recoveryMs = await expectRecovery();
    process.stdout.write(`${name}: the slowest 503 took ${slowestMs} ms, serving again after ${recoveryMs} ms\n`);
  } finally {
    await faulty.stop();
  }
};

/**
 * What both gateways do when their database fails: every request ends, in a 503 in the envelope that says when to come
 * back; the process lives on and serves again by itself. Times are reported, not asserted.
 */
export const describeDatabaseFaults = (options: DatabaseFaultsOptions): void => {
  describe('503: while the database', () => {
    // Most of a fault is waiting for time limits, so every fault gets a gateway of its own and all run at once.
    const outcomes = new Map<Fault, Promise<void>>();
    beforeAll(async () => {
      // Starting takes all of the processor, so one gateway starts after the other.
      const ready: (readonly [Fault, Faulty])[] = [];
      for (const fault of faults) ready.push([fault, await startFaulty(options)]);
      for (const [fault, faulty] of ready) {
        const outcome = meetFault(faulty, fault);
        // Its own test reports a failure, perhaps after others.
        outcome.catch(() => undefined);
        outcomes.set(fault, outcome);
      }
    });

    test.each(faults)(
      '$name, every request ends, and all is well again by itself',
      async (fault) => {
        await outcomes.get(fault);
      },
      240_000,
    );
  });

  describe('a gateway', () => {
    let faulty: Faulty;
    beforeAll(async () => {
      faulty = await startFaulty(options);
    });
    afterAll(() => faulty.stop());

    test('200: while the database is slow, within its time limits', async () => {
      const { requests, expectRecovery } = observe(faulty.subject);
      await expectRecovery();
      faulty.proxy.delay(150);
      const { answers } = await requests();
      faulty.proxy.delay(0);
      expect(answers.map(({ status }) => status)).toEqual(Array(parallel).fill(200));
    });

    test('no request is left hanging and none crashes the process when connections are cut again and again', async () => {
      const { requests, expectRecovery } = observe(faulty.subject);
      await expectRecovery();
      const statuses: number[] = [];
      for (let round = 0; round < 10; round += 1) {
        const running = requests();
        await new Promise((resolve) => setTimeout(resolve, round * 2));
        faulty.proxy.cut();
        for (const { status } of (await running).answers) statuses.push(status);
        expect(await statusOf(faulty.subject.process, '/livez')).toBe(200);
      }
      expect(statuses.filter((status) => status !== 200 && status !== 503)).toEqual([]);
      await expectRecovery();
      process.stdout.write(
        `${statuses.filter((status) => status === 503).length} of ${statuses.length} requests met a cut\n`,
      );
    }, 240_000);
  });
};
