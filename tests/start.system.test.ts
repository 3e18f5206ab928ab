import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, chown, mkdtemp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { reportFigure, testSize } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { freePorts, launcher, RunningStack } from './support/running-stack.js';

/** A start takes a few seconds, and much longer on a busy machine. A test has up to four starts. */
jest.setTimeout(300_000);

let directory: string;
let env: Record<string, string>;
const stacks: RunningStack[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-start-'));
  env = { CRM_DATA_DIR: join(directory, 'data'), ...(await freePorts()) };
});
afterAll(async () => {
  for (const stack of stacks.splice(0)) await stack.end('SIGTERM');
  await rm(directory, { recursive: true, force: true });
});

const start = (more: Readonly<Record<string, string>> = {}): RunningStack => {
  const stack = new RunningStack({ ...env, ...more });
  stacks.push(stack);
  return stack;
};

const list = async (demo: Readonly<Record<string, string>>): Promise<unknown[]> => {
  const response = await fetch(`${demo['read_url']}/v1/opportunities?pipeline_id=${demo['pipeline_id']}`, {
    headers: { 'x-api-key': demo['api_key'] ?? '' },
  });
  const body = (await response.json()) as { data: { opportunities: unknown[] } };
  return body.data.opportunities;
};

/** Replaces curl, which a machine may not have. The test is about the quoting of the printed lines. */
const curl = `#!${process.execPath}
const [, , , url, ...rest] = process.argv;
const headers = {};
let body;
for (let i = 0; i < rest.length; i += 2) {
  if (rest[i] === '-d') body = rest[i + 1];
  else headers[rest[i + 1].split(': ')[0]] = rest[i + 1].split(': ')[1];
}
fetch(url, { headers, ...(body === undefined ? {} : { method: 'POST', body }) })
  .then(async (response) => console.log(response.status, await response.text()));
`;

const runPrintedLines = async (text: string): Promise<string[]> => {
  const bin = join(directory, 'bin');
  await mkdir(bin, { recursive: true });
  await writeFile(join(bin, 'curl'), curl, { mode: 0o755 });
  const script = text.match(/^ {2}curl[^]*?[^\\]$/gm)?.join('\n') ?? '';
  const { stdout } = await promisify(execFile)('sh', ['-c', script], {
    env: { PATH: `${bin}:${process.env['PATH']}` },
  });
  return stdout.trim().split('\n');
};

/** What each signal of a user leads to. */
const expectCleanEnd = async (stack: RunningStack, signal: 'SIGINT' | 'SIGTERM'): Promise<void> => {
  const { read_url: readUrl, inbound_url: inboundUrl } = await stack.ready();
  expect(await stack.end(signal)).toBe(0);
  await expect(fetch(`${readUrl}/livez`)).rejects.toThrow();
  await expect(fetch(`${inboundUrl}/livez`)).rejects.toThrow();
  const left = await readdir(stack.dataDirectory);
  expect(left.sort()).toEqual(['demo.stopped.json', 'logs', 'postgres', 'state.json']);
};

/** The tests continue with the data, and the first ones with the process, of those before them: each start takes seconds. */
describe('crm start', () => {
  let stack: RunningStack;
  let demo: Readonly<Record<string, string>>;

  it('R17: runs everything from an empty directory, and what it prints works unchanged', async () => {
    stack = start();
    demo = await stack.ready();
    reportFigure('R17', `first answer of crm start as ${userInfo().username}, ms`, stack.ageMs, '<= 60000');
    expect(demo).toEqual({
      read_url: `http://127.0.0.1:${env['CRM_READ_PORT']}`,
      inbound_url: `http://127.0.0.1:${env['CRM_INBOUND_PORT']}`,
      api_key: expect.stringMatching(/^crm_live_/),
      pipeline_id: expect.any(String),
      organization_id: expect.any(String),
      database_url: expect.stringMatching(/^postgres/),
    });
    expect((await stat(join(stack.dataDirectory, 'demo.json'))).mode & 0o777).toBe(0o600);
    // Commands without CRM_DATA_DIR find it, too.
    expect(JSON.parse(await readFile(join(directory, '.crm/demo.json'), 'utf8'))).toEqual(demo);
    const [, ...connection] =
      /^ +claude mcp add .*--env CRM_DATA_DIR='([^']+)' -- node '([^']+)' mcp$/m.exec(stack.stdout) ?? [];
    expect(connection).toEqual([stack.dataDirectory, launcher]);
    expect((await list(demo)).length).toBeGreaterThanOrEqual(5);
    const [created, listed] = await runPrintedLines(stack.stdout);
    expect(created).toMatch(/^200 .*"name":"My first deal"/);
    expect(listed).toMatch(/^200 .*"My first deal"/);
  });

  it('refuses to start twice on one directory, and the first one keeps running', async () => {
    const second = start();
    expect(await second.exitCode).toBe(1);
    expect(second.stderr).toMatch(/already runs here \(process \d+/);
    expect(await list(demo)).toHaveLength(7);
  });

  it('stops all parts on Ctrl-C, without an error', () => expectCleanEnd(stack, 'SIGINT'));

  it('names all taken ports and the variables that change them', async () => {
    const variables = ['CRM_READ_PORT', 'CRM_INBOUND_PORT'];
    const others = variables.map((name) => createServer().listen(Number(env[name]), '127.0.0.1').unref());
    await Promise.all(others.map((other) => once(other, 'listening')));
    const refused = start();
    expect(await refused.exitCode).toBe(1);
    for (const name of variables) expect(refused.stderr).toMatch(new RegExp(`Port ${env[name]}, .*${name}=`));
    await Promise.all(others.map((other) => new Promise((resolve) => other.close(resolve))));
  });

  it('finds its data again', async () => {
    stack = start();
    const again = await stack.ready();
    expect(again).toEqual({ ...demo, database_url: again['database_url'] });
    expect(await list(again)).toHaveLength(7);
  });

  it('recovers from a kill at once', async () => {
    await stack.end('SIGKILL');
    stack = start();
    const again = await stack.ready();
    expect(again['api_key']).toBe(demo['api_key']);
    expect(await list(again)).toHaveLength(7);
  });

  it('stops if a gateway ends, and prints the path of its log', async () => {
    process.kill(await stack.childPid('read-gateway'), 'SIGKILL');
    expect(await stack.exitCode).toBe(1);
    expect(stack.stderr).toMatch(/read-gateway ended by itself \(signal SIGKILL\).*logs\/read-gateway\.log/);
    await expect(fetch(`${demo['inbound_url']}/livez`)).rejects.toThrow();
  });

  it('R17: also runs as a user without rights', async () => {
    // Only root can switch users. For any other user, the first test has already shown it.
    if (process.getuid?.() !== 0) return;
    const nobodyId = 65_534;
    const home = join(directory, 'nobody');
    await mkdir(home);
    await chown(home, nobodyId, nobodyId);
    await chmod(directory, 0o755);
    stack = new RunningStack({ ...env, CRM_DATA_DIR: join(home, 'data'), HOME: home }, nobodyId);
    stacks.push(stack);
    const own = await stack.ready();
    reportFigure('R17', 'first answer of crm start as another user, ms', stack.ageMs, '<= 60000');
    expect((await list(own)).length).toBeGreaterThanOrEqual(5);
    await stack.end('SIGTERM');
  });

  it('can be stopped at any moment of its start, and started again', async () => {
    for (const delayMs of [900, 600, 1_300].slice(0, testSize({ short: 1, soak: 3 }))) {
      const stopped = start({ CRM_DATA_DIR: join(directory, `data-${delayMs}`) });
      await new Promise((resolve) => void setTimeout(resolve, delayMs));
      // Without an exit code, the signal came before the program had loaded, when there was nothing to stop.
      expect([0, null]).toContain(await stopped.end('SIGTERM'));
      const again = start({ CRM_DATA_DIR: join(directory, `data-${delayMs}`) });
      expect((await list(await again.ready())).length).toBe(6);
      // As for Ctrl-C above.
      await expectCleanEnd(again, 'SIGTERM');
    }
  });
});
