import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrmClient, Event } from '@crm/client';
import { readTestStack, until } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCrm } from './support/run-crm.js';
import { launcher } from './support/running-stack.js';
import { setUpOrganization } from './support/two-organizations.js';

let client: CrmClient;
let directory: string;
let env: Readonly<Record<string, string>>;

beforeAll(async () => {
  const stack = readTestStack();
  const own = await setUpOrganization(stack);
  ({ client } = own);
  env = { CRM_READ_URL: stack.readUrl, CRM_INBOUND_URL: stack.inboundUrl, CRM_API_KEY: own.organization.key };
  directory = await mkdtemp(join(tmpdir(), 'crm-events-'));
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** A command that runs in parallel with the test. */
class Command {
  readonly #child: ChildProcess;
  readonly exitCode: Promise<number | null>;
  output = '';

  constructor(args: readonly string[]) {
    this.#child = spawn(process.execPath, [launcher, ...args], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.output += chunk.toString('utf8')));
    this.exitCode = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get lines(): readonly string[] {
    return this.output.split('\n').slice(0, -1);
  }

  async untilLines(count: number): Promise<void> {
    await until(() => this.lines.length >= count, 20);
  }

  interrupt(): Promise<number | null> {
    this.#child.kill('SIGINT');
    return this.exitCode;
  }
}

/** Runs a command in this process, where the command line does not read variables. */
const crm = (args: readonly string[], interrupt?: AbortSignal) =>
  runCrm([...args, '--url', env['CRM_READ_URL'] ?? '', '--api-key', env['CRM_API_KEY'] ?? ''], {}, interrupt);
const latest = async (): Promise<number> => (await client.events.latest()).data.position;
const positionsIn = async (file: string): Promise<number[]> => {
  const lines = (await readFile(file, 'utf8')).split('\n').slice(0, -1);
  return lines.map((line) => (JSON.parse(line) as Event).position);
};
const firstPositions = (count: number): number[] => Array.from({ length: count }, (_, index) => index + 1);

describe('crm events tail', () => {
  test('shows each change of a running import once and in order', async () => {
    const before = await latest();
    const tail = new Command(['events', 'tail', '--json', '--object', 'account', '--after', String(before)]);
    const rows = Array.from({ length: 300 }, (_, index) => `import${index}.example,Import ${index}`);
    const file = join(directory, 'accounts.csv');
    await writeFile(file, `domain,name\n${rows.join('\n')}\n`);
    const mapping = join(directory, 'accounts.yaml');
    await writeFile(mapping, 'object: account\nfields:\n  domain: { column: domain }\n  name: { column: name }\n');
    let sawSomeEarly = false;
    const importing = new Command(['import', file, '--mapping', mapping, '--batch', '1', '--concurrency', '1']);
    void importing.exitCode.then(() => (sawSomeEarly = tail.lines.length > 0));
    await tail.untilLines(300);
    expect(await importing.exitCode).toBe(0);
    expect(sawSomeEarly).toBe(true);
    expect(await tail.interrupt()).toBe(0);
    const events = tail.lines.map((line) => JSON.parse(line) as Event);
    expect(events.map(({ position }) => position)).toEqual(events.map((_, index) => before + 1 + index));
    expect(new Set(events.map(({ record }) => record?.['domain'])).size).toBe(300);
  });

  test('shows a line of text for each change from now on', async () => {
    const { data } = await client.accounts.create({ domain: 'tail.example' });
    const tail = new Command(['events', 'tail']);
    // It shows only changes after it has started to follow, so the test makes changes until one is shown.
    for (let round = 0; tail.lines.length === 0; round += 1) {
      await client.accounts.update(data.company_id, { name: `Round ${round}` });
      await sleep(100);
    }
    expect(await tail.interrupt()).toBe(0);
    expect(tail.lines[0]).toMatch(
      /^\d+ \d{4}-\d\d-\d\dT[\d:.]+Z account\.updated [0-9a-f-]{36} "Round \d+" name: .+ → "Round \d+"$/,
    );
  });
});

describe('crm events export', () => {
  test('writes the log up to its end, also after a position', async () => {
    const end = await latest();
    const file = join(directory, 'events.jsonl');
    const result = await crm(['events', 'export', '--output', file, '--json']);
    expect(JSON.parse(result.stdout)).toEqual({ file, events: end, last_position: end });
    expect(await positionsIn(file)).toEqual(firstPositions(end));
    expect((await stat(file)).mode & 0o777).toBe(0o600);
    const later = await crm(['events', 'export', '--output', file, '--after', String(end - 2), '--json']);
    expect(JSON.parse(later.stdout)).toMatchObject({ events: 2, last_position: end });
  });

  test('continues where it was interrupted', async () => {
    const end = await latest();
    const file = join(directory, 'resumed.jsonl');
    const interrupt = new AbortController();
    const first = crm(['events', 'export', '--output', file], interrupt.signal);
    interrupt.abort();
    expect((await first).exitCode).toBe(1);
    const second = await crm(['events', 'export', '--output', file, '--json']);
    expect(second).toMatchObject({ exitCode: 0 });
    expect(await positionsIn(file)).toEqual(firstPositions(end));
  });

  test('reports a position beyond the end', async () => {
    const result = await crm(['events', 'tail', '--after', '900000000', '--object', 'note']);
    expect(result).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('is beyond the last position') });
  });
});
