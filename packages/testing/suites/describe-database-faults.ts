import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';

import { type Answer, type FaultProxy, type GatewayProcess, startFaultProxy, until } from '@crm/testing';

/** A gateway whose database fails. */
export interface FaultySubject {
  readonly process: GatewayProcess;
  /** A request that needs the database, a different one each time. */
  readonly request: () => Promise<Answer>;
  /** Ends the connections of its role and refuses new ones, or allows them again. */
  readonly setConnectionsAllowed: (areAllowed: boolean) => Promise<void>;
}

interface DatabaseFaultsOptions {
  /** Creates a database for one gateway. */
  readonly prepare: () => Promise<{
    /** The database's address for a role that is not a superuser. */
    readonly databaseUrl: string;
    /** Starts the gateway in a separate process with this address of the database. */
    readonly start: (databaseUrl: string) => Promise<FaultySubject>;
    readonly close: () => Promise<void>;
  }>;
}

const parallel = 20;

const statusOf = async ({ url }: GatewayProcess, path: string): Promise<number> =>
  (await fetch(`${url}${path}`)).status;

/** A line of the log of a gateway. */
interface LogLine {
  readonly msg: string;
  readonly level: number;
  readonly status?: number;
  readonly route?: string;
  readonly err?: unknown;
}

const readLine = (line: string): LogLine => JSON.parse(line) as LogLine;

/** Requests to a gateway and checks of its answers, with and without a fault. */
const observe = (subject: FaultySubject) => {
  const isServing = async (): Promise<boolean> => (await subject.request()).status === 200;

  /** Many parallel requests: their answers, and how long the slowest took. */
  const requests = async (): Promise<{ readonly answers: readonly Answer[]; readonly slowestMs: number }> => {
    const startedAtMs = performance.now();
    const answers = await Promise.all(Array.from({ length: parallel }, () => subject.request()));
    return { answers, slowestMs: Math.round(performance.now() - startedAtMs) };
  };

  /** Checks that the gateway refuses during a fault. @returns how long the slowest answer took */
  const expectRefusals = async (): Promise<number> => {
    // The first requests may still use an open connection or a cached key.
    await until(async () => !(await isServing()));
    const { answers, slowestMs } = await requests();
    for (const { status, headers } of answers) {
      expect(status).toBe(503);
      expect(headers.get('retry-after')).toBe('1');
    }
    expect(await statusOf(subject.process, '/livez')).toBe(200);
    await until(async () => (await statusOf(subject.process, '/readyz')) === 503);
    return slowestMs;
  };

  /**
   * Waits until all of many parallel requests are answered. A busy machine may refuse some of them once, but a connection that stays broken
   * fails one in every round.
   * @returns how long the slowest of the last round took
   */
  const expectAnswers = async (): Promise<number> => {
    let last = await requests();
    const areServed = () => last.answers.every(({ status }) => status === 200);
    await until(async () => {
      if (!areServed()) last = await requests();
      return areServed();
    });
    return last.slowestMs;
  };

  /** Waits until the gateway has recovered. @returns how long that took */
  const expectRecovery = async (): Promise<number> => {
    const startedAtMs = performance.now();
    await until(isServing);
    const recoveryMs = Math.round(performance.now() - startedAtMs);
    await until(async () => (await statusOf(subject.process, '/readyz')) === 200);
    const slowestMs = await expectAnswers();
    expect(subject.process.child.exitCode).toBeNull();
    process.stdout.write(`${parallel} requests without a fault took ${slowestMs} ms\n`);
    return recoveryMs;
  };

  return { requests, expectAnswers, expectRefusals, expectRecovery };
};

/** A gateway and the proxy between it and its database. */
interface Faulty {
  readonly proxy: FaultProxy;
  readonly subject: FaultySubject;
}

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
  // Only time limits notice these two.
  { name: 'says nothing, and connections stand half open', begin: ({ proxy }) => proxy.silence(), end: restore },
  { name: 'answers too late for any time limit', begin: ({ proxy }) => proxy.delay(8_000), end: restore },
];

/** Runs one fault on one gateway. @throws if the gateway does not answer as it should */
const meetFault = async (faulty: Faulty, { name, begin, end }: Fault): Promise<void> => {
  const { expectRefusals, expectRecovery } = observe(faulty.subject);
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
};

/**
 * The behaviour of both gateways when their database fails: every request ends with a 503 in the envelope and with
 * Retry-After. The process survives and recovers by itself. Times are reported, not asserted.
 */
export const describeDatabaseFaults = ({ prepare }: DatabaseFaultsOptions): void => {
  describe('a gateway', () => {
    let faulty: Faulty;
    let close: () => Promise<void>;
    beforeAll(async () => {
      const database = await prepare();
      const proxy = await startFaultProxy(database.databaseUrl);
      faulty = { proxy, subject: await database.start(proxy.url) };
      ({ close } = database);
    });
    afterAll(async () => {
      await faulty.subject.process.stop();
      await faulty.proxy.stop();
      await close();
    });

    test('logs an outage once when it begins and once when it ends, for any number of requests', async () => {
      const { process: gateway } = faulty.subject;
      const { requests, expectRefusals, expectRecovery } = observe(faulty.subject);
      await expectRecovery();
      // Lines are written in the background.
      await until(() => gateway.output().includes('as it should be'));
      const start = gateway.output().length;
      await faulty.proxy.refuse();
      // Once this request is answered, the gateway has noticed its ended connections and sends no statement to them.
      await statusOf(gateway, '/livez');
      await expectRefusals();
      for (let round = 0; round < 3; round += 1) await requests();
      await faulty.proxy.restore();
      await until(async () => {
        await requests();
        return gateway.output().includes('the database answers again');
      });
      const lines = gateway.output().slice(start).split('\n').slice(0, -1).map(readLine);
      const others = lines.filter(({ msg }) => msg !== 'request');
      expect(others.map(({ msg }) => msg)).toEqual([
        expect.stringMatching(/^the database does not answer.*crm doctor/),
        'the database answers again',
      ]);
      expect(others[0]).toMatchObject({ level: 50, err: { cause: { code: 'ECONNREFUSED' } } });
      // Every request of an operation has a log line, health checks have none. The lines have no error.
      const lost = lines.filter(({ msg, status }) => msg === 'request' && status === 503);
      expect(lost.length).toBeGreaterThanOrEqual(4 * parallel);
      expect(lost.filter(({ route, level, err }) => route === undefined || level >= 40 || err !== undefined)).toEqual(
        [],
      );
    }, 240_000);

    test('200: serves while the database is slow but within its time limits', async () => {
      const { expectAnswers, expectRecovery } = observe(faulty.subject);
      await expectRecovery();
      faulty.proxy.delay(150);
      await expectAnswers();
      faulty.proxy.delay(0);
    });

    test('leaves no request hanging and does not crash when connections are cut repeatedly', async () => {
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

    test.each(faults)(
      '503: if the database $name, every request ends, and the gateway recovers by itself',
      (fault) => meetFault(faulty, fault),
      240_000,
    );
  });
};
