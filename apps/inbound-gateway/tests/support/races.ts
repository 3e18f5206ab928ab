import { createAccount, type OperationContract } from '@crm/contract';
import { type Answer, reportFigure, type TestRequest, untilServed } from '@crm/testing';
import { expect } from '@jest/globals';
import { expectConsistent } from './expect-consistent.js';
import { startOwnGateway, type TestGateway } from './gateway.js';

/** A call of an operation. */
export type Call = readonly [contract: OperationContract, request: TestRequest];

/** Two gateway processes on a database that no other test uses. */
export type Races = Awaited<ReturnType<typeof startRaces>>;

const countDeadlocks = async ({ pool }: TestGateway['writeDatabase']): Promise<number> => {
  await pool.query(`SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
    WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()`);
  const { rows } = await pool.query<{ deadlocks: number }>(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  );
  return rows[0]?.deadlocks ?? Number.NaN;
};

/** Starts the database and the processes. */
export const startRaces = async () => {
  const gateway = await startOwnGateway();
  const processes = await gateway.startProcesses(2);
  // A process that has just started still compiles code. How it handles many calls meanwhile is not tested here.
  await Promise.all(processes.map((client) => client.call(createAccount, { body: { domain: 'warm-up.com' } })));
  let sent = 0;
  let repeats = 0;
  const send = async ([contract, request]: Call): Promise<Answer> => {
    sent += 1;
    const client = processes[sent % processes.length] ?? gateway.client;
    // A deadlock is not hidden by repeats: the server counts it.
    return untilServed(
      () => client.call(contract, request),
      () => (repeats += 1),
    );
  };
  return {
    gateway,
    /** Sends a call to the processes in turn. */
    send,
    /** Sends calls at once. Each answer must have one of the statuses. @returns the answers in the order of the calls */
    atOnce: async (calls: readonly Call[], statuses: readonly number[] = [200]) => {
      const answers = await Promise.all(calls.map(send));
      const failed = answers.filter(({ status }) => !statuses.includes(status));
      expect(failed.map(({ status, text }) => `${status} ${text.slice(0, 300)}`)).toEqual([]);
      return answers;
    },
    /** The id in the answer to a create. */
    idOf: async (contract: OperationContract, body: object) =>
      Object.values((await send([contract, { body }])).data as object)[0] as string,
    /**
     * Checks every stored record and the deadlocks that the server counted. A retry hides a deadlock from the caller, yet
     * each one costs a second. Runs last, because it ends the connections of the gateways: they report their counts then.
     */
    expectNoDeadlocks: async (requirement: `R${number}`, about: string) => {
      await expectConsistent(gateway);
      const deadlocks = await countDeadlocks(gateway.writeDatabase);
      reportFigure(requirement, `calls of ${about} repeated after 503`, repeats, 'printed');
      reportFigure(requirement, `deadlocks of ${about}, ${sent} calls`, deadlocks, 0);
      expect(deadlocks).toBe(0);
    },
  };
};

/** The items in an order of their own for each stream. */
export const rotated = <T>(items: readonly T[], stream: number): T[] => {
  const first = (stream * Math.ceil(items.length / 4)) % items.length;
  return [...items.slice(first), ...items.slice(0, first)];
};
