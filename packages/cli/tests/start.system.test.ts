import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { reportFigure } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { freePorts, RunningStack } from './running-stack.js';

/** A start takes a few seconds, many times that on a busy machine, and a test makes up to four of them. */
jest.setTimeout(300_000);

let directory: string;
let env: Record<string, string>;
const stacks: RunningStack[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-start-'));
  const [readPort, inboundPort] = await freePorts();
  env = {
    CRM_DATA_DIR: join(directory, 'data'),
    CRM_READ_PORT: String(readPort),
    CRM_INBOUND_PORT: String(inboundPort),
  };
});
afterEach(async () => {
  for (const stack of stacks.splice(0)) await stack.end('SIGTERM');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

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

/** Stands in for curl, which a machine may lack; what is tested is the quoting of the printed lines. */
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

describe('crm start', () => {
  it('R17: runs everything from nothing, and its printed lines work as they are', async () => {
    const stack = start();
    const demo = await stack.ready();
    reportFigure('R17', `first answer of crm start as ${userInfo().username}, ms`, stack.ageMs, '<= 60000');
    expect(demo).toEqual({
      read_url: `http://127.0.0.1:${env['CRM_READ_PORT']}`,
      inbound_url: `http://127.0.0.1:${env['CRM_INBOUND_PORT']}`,
      api_key: expect.stringMatching(/^crm_live_/),
      pipeline_id: expect.any(String),
      organization_id: expect.any(String),
      database_url: expect.stringMatching(/^postgres/),
    });
    expect((await stat(join(env['CRM_DATA_DIR'] ?? '', 'demo.json'))).mode & 0o777).toBe(0o600);
    expect((await list(demo)).length).toBeGreaterThanOrEqual(5);
    const [created, listed] = await runPrintedLines(stack.stdout);
    expect(created).toMatch(/^200 .*"name":"My first deal"/);
    expect(listed).toMatch(/^200 .*"My first deal"/);
  });

  it('R17: does so as a user without rights too', async () => {
    // Only root can switch users; for another user the tests above have just shown it.
    if (process.getuid?.() !== 0) return;
    const nobodyId = 65_534;
    const home = join(directory, 'nobody');
    await mkdir(home);
    await chown(home, nobodyId, nobodyId);
    await chmod(directory, 0o755);
    const stack = new RunningStack({ ...env, CRM_DATA_DIR: join(home, 'data'), HOME: home }, nobodyId);
    stacks.push(stack);
    const demo = await stack.ready();
    reportFigure('R17', 'first answer of crm start as another user, ms', stack.ageMs, '<= 60000');
    expect((await list(demo)).length).toBeGreaterThanOrEqual(5);
  });

  it('finds its data again', async () => {
    const demo = await start().ready();
    await stacks[0]?.end('SIGTERM');
    const again = await start().ready();
    expect(again).toEqual({ ...demo, database_url: again['database_url'] });
    expect(await list(again)).toHaveLength(7);
  });

  it('stops all of it on Ctrl-C and SIGTERM, without an error', async () => {
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const stack = start();
      const { read_url: readUrl, inbound_url: inboundUrl } = await stack.ready();
      expect(await stack.end(signal)).toBe(0);
      await expect(fetch(`${readUrl}/livez`)).rejects.toThrow();
      await expect(fetch(`${inboundUrl}/livez`)).rejects.toThrow();
      const left = await readdir(env['CRM_DATA_DIR'] ?? '');
      expect(left.sort()).toEqual(['demo.stopped.json', 'logs', 'postgres', 'state.json']);
    }
  });

  it('refuses to start twice on one directory, and the first one keeps running', async () => {
    const demo = await start().ready();
    const second = start();
    expect(await second.exitCode).toBe(1);
    expect(second.stderr).toMatch(/already runs here \(process \d+/);
    expect(await list(demo)).toHaveLength(7);
  });

  it('recovers from being killed, at once', async () => {
    const killed = start();
    const demo = await killed.ready();
    await killed.end('SIGKILL');
    const again = await start().ready();
    expect(again['api_key']).toBe(demo['api_key']);
    expect(await list(again)).toHaveLength(7);
  });

  it('names a taken port and the variable that changes it', async () => {
    const other = createServer();
    await new Promise<void>((resolve) => void other.listen(Number(env['CRM_INBOUND_PORT']), '127.0.0.1', resolve));
    const stack = start();
    expect(await stack.exitCode).toBe(1);
    expect(stack.stderr).toMatch(new RegExp(`Port ${env['CRM_INBOUND_PORT']}, .*CRM_INBOUND_PORT=`));
    await new Promise((resolve) => other.close(resolve));
  });

  it('goes down with a gateway that dies, saying where its log is', async () => {
    const stack = start();
    const { inbound_url: inboundUrl } = await stack.ready();
    process.kill(await stack.childPid('read-gateway'), 'SIGKILL');
    expect(await stack.exitCode).toBe(1);
    expect(stack.stderr).toMatch(/read-gateway ended by itself \(signal SIGKILL\).*logs\/read-gateway\.log/);
    await expect(fetch(`${inboundUrl}/livez`)).rejects.toThrow();
  });

  it('can be stopped at any moment of its start, and started again', async () => {
    for (const delayMs of [600, 900, 1300]) {
      const stack = start({ CRM_DATA_DIR: join(directory, `data-${delayMs}`) });
      await new Promise((resolve) => void setTimeout(resolve, delayMs));
      // No code at all: the signal came before the program had loaded, when there is nothing to stop yet.
      expect([0, null]).toContain(await stack.end('SIGTERM'));
      const again = start({ CRM_DATA_DIR: join(directory, `data-${delayMs}`) });
      expect((await list(await again.ready())).length).toBe(6);
      await again.end('SIGTERM');
    }
  });
});
