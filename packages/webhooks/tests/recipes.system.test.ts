/** @needs python3 go java rust */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import ts from 'typescript';
import { newSecret, signedHeaders } from '../src/index.js';

const page = fileURLToPath(new URL('../../../docs/how-to/receive-webhooks.md', import.meta.url));
/** Only a guard against hangs: the first build in Go compiles its library. */
const timeoutMs = 300_000;
let directory: string;
let running: ChildProcess | undefined;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crm-recipes-'));
});
afterEach(async () => {
  const ended = running;
  running = undefined;
  if (ended?.exitCode !== null) return;
  await new Promise((resolve) => {
    ended.once('exit', resolve);
    ended.kill('SIGKILL');
  });
});
afterAll(() => rm(directory, { recursive: true }));

const toJavaScript = (source: string): string =>
  ts.transpileModule(source, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } })
    .outputText;

/** Runs a program and waits for its end. */
const runToEnd = (program: string, args: readonly string[]): Promise<number | null> =>
  new Promise((resolve) => spawn(program, args, { stdio: 'inherit' }).once('exit', resolve));

/** How to run the recipe of each language. @returns the command line */
const recipes: Readonly<Record<string, (source: string) => Promise<readonly [string, ...string[]]>>> = {
  ts: async (source) => {
    const file = join(directory, 'receiver.mjs');
    await writeFile(file, toJavaScript(source));
    return [process.execPath, file];
  },
  python: async (source) => {
    const file = join(directory, 'receiver.py');
    await writeFile(file, source);
    return ['python3', file];
  },
  go: async (source) => {
    const [file, built] = [join(directory, 'receiver.go'), join(directory, 'receiver')];
    await writeFile(file, source);
    expect(await runToEnd('go', ['build', '-o', built, file])).toBe(0);
    return [built];
  },
  java: async (source) => {
    await writeFile(join(directory, 'Receiver.java'), source);
    expect(await runToEnd('javac', ['-d', directory, join(directory, 'Receiver.java')])).toBe(0);
    return ['java', '-cp', directory, 'Receiver'];
  },
  rust: async (source) => {
    const [, packages = ''] = /^\/\/ Cargo\.toml: (.*)$/m.exec(source) ?? [];
    const head = '[package]\nname = "receiver"\nversion = "1.0.0"\nedition = "2021"\n\n[dependencies]\n';
    const crate = join(directory, 'crate');
    await mkdir(join(crate, 'src'), { recursive: true });
    await writeFile(join(crate, 'Cargo.toml'), head + packages.replaceAll(', ', '\n'));
    await writeFile(join(crate, 'src/main.rs'), source);
    expect(await runToEnd('cargo', ['build', '--quiet', '--manifest-path', join(crate, 'Cargo.toml')])).toBe(0);
    return [join(crate, 'target/debug/receiver')];
  },
};

const findFreePort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });

const isOpen = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.unref();
    socket.once('connect', () => socket.destroy());
  });

const start = async (language: string, secret: string): Promise<string> => {
  const [, source = ''] = new RegExp(`\`\`\`${language}\n(.*?)\`\`\``, 's').exec(await readFile(page, 'utf8')) ?? [];
  const [program, ...args] = (await recipes[language]?.(source)) ?? [''];
  const port = await findFreePort();
  const env = { ...process.env, PORT: String(port), WEBHOOK_SECRET: secret };
  running = spawn(program, args, { env, stdio: 'ignore' });
  const patience = AbortSignal.timeout(120_000);
  while (!(await isOpen(port))) {
    if (running.exitCode !== null) throw new Error('the receiver ended');
    if (patience.aborted) throw new Error(`the receiver in ${language} does not listen on its port`);
    await sleep(50);
  }
  return `http://127.0.0.1:${port}/hook`;
};

test.each(Object.keys(recipes))(
  'the receiver in %s accepts only new messages that are signed with its secret',
  async (language) => {
    const [secret, other] = [newSecret(), newSecret()];
    const url = await start(language, secret);
    const message = { id: randomUUID(), body: Buffer.from('{"type":"account.created","data":{"name":"Zoë"}}') };
    const now = new Date();
    const post = async (headers: Record<string, string>, body = message.body): Promise<number> =>
      (await fetch(url, { method: 'POST', headers, body: new Uint8Array(body) })).status;
    const signed = (secrets: string[], secondsLater = 0) =>
      signedHeaders(message, secrets, new Date(now.getTime() + secondsLater * 1_000));
    const good = signed([secret]);
    const signature = good['webhook-signature'] ?? '';
    const statuses = {
      valid: await post(good),
      'rotated, the old secret last': await post(signed([other, secret])),
      'rotated, the old secret first': await post(signed([secret, other])),
      'of another secret': await post(signed([other])),
      'with another body': await post(good, Buffer.from('{"type":"account.deleted","data":{"name":"Zoë"}}')),
      'with another id': await post({ ...good, 'webhook-id': randomUUID() }),
      'with another time': await post({ ...good, 'webhook-timestamp': String(Number(good['webhook-timestamp']) + 1) }),
      old: await post(signed([secret], -600)),
      'from the future': await post(signed([secret], 600)),
      'with a time that is no number': await post({ ...good, 'webhook-timestamp': 'now' }),
      'with another version': await post({ ...good, 'webhook-signature': signature.replace('v1,', 'v2,') }),
      'with a part of the signature': await post({ ...good, 'webhook-signature': signature.slice(0, 20) }),
      'without headers': await post({}),
    };
    const accepted = Object.entries(statuses).filter(([, status]) => status === 204);
    expect(accepted.map(([name]) => name)).toEqual([
      'valid',
      'rotated, the old secret last',
      'rotated, the old secret first',
    ]);
    expect(new Set(Object.values(statuses))).toEqual(new Set([204, 400]));
  },
  timeoutMs,
);
