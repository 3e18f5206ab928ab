// What every program that keeps a copy must do: the same tests for each.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { TestStack } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ConnectorProxy, startConnectorProxy } from '../support/connector-proxy.js';
import { changeOrganization, type Copy, fillOrganization, readTruth, type Subject } from './organization.js';
import type { Run, Running } from './runs.js';

/** Guards against hangs only: a small key may make a program wait for a minute. */
const timeoutMs = 600_000;

/** The objects, as paths and streams name them. */
export const plurals = ['accounts', 'contacts', 'opportunities', 'notes'] as const;

/** The path of a file that users copy. */
export const shippedPath = (file: string): string =>
  fileURLToPath(new URL(`../../../../docs/integrations/${file}`, import.meta.url));

/** The path of the pinned packages of a program. */
export const requirementsOf = (program: 'dlt' | 'singer' | 'airbyte'): string =>
  fileURLToPath(new URL(`../tools/${program}/requirements.txt`, import.meta.url));

/** An organization, a proxy in front of it, and a folder for the program; each file of tests has its own. */
export interface Stage {
  readonly subject: Subject;
  readonly proxy: ConnectorProxy;
  readonly folder: string;
  /** Changes records and fields of the organization. */
  change(): Promise<void>;
}

/** Fills an organization before the tests of a file. */
export const useStage = (readStack: () => TestStack): Stage => {
  const stage = {} as { -readonly [K in keyof Stage]: Stage[K] };
  let round = 0;
  stage.change = () => changeOrganization(stage.subject, round++);
  beforeAll(async () => {
    stage.subject = await fillOrganization(readStack());
    stage.proxy = await startConnectorProxy(stage.subject.crm.addresses.readUrl);
    stage.folder = await mkdtemp(join(tmpdir(), 'crm-connectors-'));
  }, timeoutMs);
  afterAll(async () => {
    await stage.proxy.stop();
    await stage.subject.crm.stop();
    await rm(stage.folder, { recursive: true, force: true });
  });
  return stage;
};

/** The whole life of a copy: each `run` brings it up to date, and `read` returns it. */
export interface Connector {
  run(key?: string): Running;
  read(): Promise<Copy>;
  /** Copies everything again after the program has stopped because it cannot catch up. Absent if it does so alone. */
  startOver?(): Promise<void>;
}

/** Waits for the end of a run. @throws Error with its output if it failed */
export const finish = async (running: Running): Promise<Run> => {
  const run = await running.ended;
  if (run.code !== 0)
    throw new Error(`The program ended with ${run.code}: ${run.stderr.slice(-4_000)}${run.stdout.slice(-2_000)}`);
  return run;
};

/** Compares every value of a copy with the database. */
export const expectEqual = async ({ subject }: Stage, read: () => Promise<Copy>): Promise<void> => {
  const [copy, truth] = [await read(), await readTruth(subject)];
  for (const plural of plurals) expect([plural, copy[plural]]).toEqual([plural, truth[plural]]);
};

/** Tests that a copy is equal whatever happens. */
export const testCopies = (stage: Stage, { run, read, startOver }: Connector): void => {
  const isEqual = () => expectEqual(stage, read);

  test(
    'is equal after it was killed while records changed, and ran again',
    async () => {
      const { proxy, change } = stage;
      proxy.reset({ 4: change, 9: () => running.kill() });
      const running = run();
      expect((await running.ended).code).not.toBe(0);
      proxy.reset({ 5: change });
      await finish(run());
      await finish(run());
      await isEqual();
    },
    timeoutMs,
  );

  test(
    'is equal after further changes, and asks once for each table if nothing is new',
    async () => {
      await stage.change();
      await finish(run());
      await isEqual();
      stage.proxy.reset();
      await finish(run());
      expect(stage.proxy.requests).toHaveLength(plurals.length);
      await isEqual();
    },
    timeoutMs,
  );

  const startsOver = (fault: 'expired' | 'other_log') =>
    test(
      `starts over if the log is ${fault}`,
      async () => {
        const { subject, proxy } = stage;
        const [account = ''] = Object.keys((await readTruth(subject)).accounts);
        await subject.client.accounts.update(account, { industry: fault });
        proxy.setFault(fault, (await subject.client.events.latest()).data.position + 1);
        try {
          if (startOver === undefined) await finish(run());
          else {
            expect((await run().ended).code).not.toBe(0);
            await startOver();
          }
          await isEqual();
        } finally {
          proxy.setFault('none');
        }
      },
      timeoutMs,
    );

  startsOver('expired');

  test(
    'waits as long as a key with a small limit says',
    async () => {
      const { subject, proxy, change } = stage;
      await change();
      // A run sends about fifteen requests.
      const { key } = await subject.crm.organization.createKey({ allow: ['list'], limits: { list: 10 } });
      proxy.reset();
      await finish(run(key));
      expect(proxy.refused()).toBeGreaterThan(0);
      await isEqual();
    },
    timeoutMs,
  );

  // Last, because the copy is then of a log that the gateway does not have.
  startsOver('other_log');
};
