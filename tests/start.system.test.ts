import { execFile } from 'node:child_process';
import { chmod, chown, mkdtemp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

import { reportFigure, testSize } from '@crm/testing';
import { afterAll, afterEach, beforeAll, describe, expect, it, jest } from '@jest/globals';

import { freePorts, RunningStack } from './support/running-stack.js';

/** A start takes a few seconds, and much longer on a busy machine. A test has up to four starts. */
jest.setTimeout(300_000);

let directory: string;
let env: Record<string, string>;
const stacks: RunningStack[] = [];

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-start-'));
  env = { CRM_DATA_DIR: join(directory, 'data'), ...(await freePorts()) };
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

describe('crm start', () => {
  it('R17: runs everything from an empty directory, and its printed commands work unchanged', async () => {
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
    // Commands without CRM_DATA_DIR find it, too.
    expect(JSON.parse(await readFile(join(directory, '.crm/demo.json'), 'utf8'))).toEqual(demo);
    expect((await list(demo)).length).toBeGreaterThanOrEqual(5);
    const [created, listed] = await runPrintedLines(stack.stdout);
    expect(created).toMatch(/^200 .*"name":"My first deal"/);
    expect(listed).toMatch(/^200 .*"My first deal"/);
  });

  it('R17: also runs as a user without rights', async () => {
    // Only root can switch users. For any other user, the test above has already shown it.
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

  it('stops all parts on Ctrl-C and SIGTERM, without an error', async () => {
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

  it('recovers from a kill at once', async () => {
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

  it('stops if a gateway ends, and prints the path of its log', async () => {
    const stack = start();
    const { inbound_url: inboundUrl } = await stack.ready();
    process.kill(await stack.childPid('read-gateway'), 'SIGKILL');
    expect(await stack.exitCode).toBe(1);
    expect(stack.stderr).toMatch(/read-gateway ended by itself \(signal SIGKILL\).*logs\/read-gateway\.log/);
    await expect(fetch(`${inboundUrl}/livez`)).rejects.toThrow();
  });

  it('can be stopped at any moment of its start, and started again', async () => {
    for (const delayMs of [900, 600, 1_300].slice(0, testSize({ short: 1, soak: 3 }))) {
      const stack = start({ CRM_DATA_DIR: join(directory, `data-${delayMs}`) });
      await new Promise((resolve) => void setTimeout(resolve, delayMs));
      // Without an exit code, the signal came before the program had loaded, when there was nothing to stop.
      expect([0, null]).toContain(await stack.end('SIGTERM'));
      const again = start({ CRM_DATA_DIR: join(directory, `data-${delayMs}`) });
      expect((await list(await again.ready())).length).toBe(6);
      await again.end('SIGTERM');
    }
  });
});
