import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, readFile, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { createClient, type CrmClient } from '@crm/client';
import { findFreePort } from '@crm/testing';

export const launcher = fileURLToPath(new URL('../../packages/cli/bin/crm.js', import.meta.url));
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Only a guard against hangs: a start takes two or three seconds. */
const readyTimeoutMs = 240_000;

/** `crm start` in its own process, as users run it. */
export class RunningStack {
  readonly #child: ChildProcess;
  readonly #env: Readonly<Record<string, string>>;
  readonly #startedAtMs = performance.now();
  readonly exitCode: Promise<number | null>;
  stdout = '';
  stderr = '';

  /**
   * @param user the id of an operating system user; default: the user of this process
   * @param command the program and its arguments; default: the command line of this repository
   */
  constructor(
    env: Readonly<Record<string, string>>,
    user?: number,
    [program, ...args]: readonly [string, ...string[]] = [process.execPath, launcher, 'start'],
  ) {
    this.#env = env;
    this.#child = spawn(program, args, {
      cwd: dirname(this.dataDirectory),
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString('utf8')));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    this.exitCode = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get dataDirectory(): string {
    return this.#env['CRM_DATA_DIR'] ?? '';
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The demo file, once it exists. */
  async ready(timeoutMs = readyTimeoutMs): Promise<Readonly<Record<string, string>>> {
    const deadlineMs = performance.now() + timeoutMs;
    const path = join(this.dataDirectory, 'demo.json');
    while (!this.stdout.includes('Ctrl-C stops it')) {
      if (this.#child.exitCode !== null || performance.now() > deadlineMs)
        throw new Error(`not ready after ${this.ageMs} ms:\n${this.stderr}`);
      await sleep(50);
    }
    return JSON.parse(await readFile(path, 'utf8')) as Record<string, string>;
  }

  /** The time since its start, in milliseconds. */
  get ageMs(): number {
    return Math.round(performance.now() - this.#startedAtMs);
  }

  /** Sends a signal and waits for the end. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    this.#child.kill(signal);
    return this.exitCode;
  }

  /** The running processes that it started, by a part of their command line. */
  async childPid(commandPart: string): Promise<number> {
    const children = await readFile(`/proc/${this.pid}/task/${this.pid}/children`, 'utf8');
    for (const pid of children.trim().split(' ')) {
      const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
      if (command.includes(commandPart)) return Number(pid);
    }
    throw new Error(`${commandPart} is not among the children ${children}`);
  }
}

/** The variables of a stack with ports that are free now. */
export const freePorts = async () => ({
  CRM_READ_PORT: String(await findFreePort()),
  CRM_INBOUND_PORT: String(await findFreePort()),
  CRM_WEBHOOK_PORT: String(await findFreePort()),
});

/** A new folder that looks like the repository. Commands of a page that run there do not use the data of a developer. */
export const makeRepositoryFolder = async (): Promise<string> => {
  const directory = await mkdtemp(join(tmpdir(), 'crm-stack-'));
  for (const name of ['node_modules', 'packages', 'package.json'])
    await symlink(join(root, name), join(directory, name));
  return directory;
};

/** A running `crm start` with its data in a folder of its own. */
export interface OwnStack {
  /** See {@link makeRepositoryFolder}. */
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  readonly process: RunningStack;
  readonly demo: Readonly<Record<string, string>>;
  readonly client: CrmClient;
  /** Ends it, and deletes its data. @returns its exit code */
  end(): Promise<number | null>;
}

/** @param more further variables */
export const startOwnStack = async (more: Readonly<Record<string, string>> = {}): Promise<OwnStack> => {
  const directory = await makeRepositoryFolder();
  const env = { CRM_DATA_DIR: join(directory, '.crm'), ...(await freePorts()), ...more };
  const stack = new RunningStack(env);
  const end = async (): Promise<number | null> => {
    const exitCode = await stack.end('SIGTERM');
    await rm(directory, { recursive: true, force: true });
    return exitCode;
  };
  try {
    const demo = await stack.ready();
    const { read_url: readUrl = '', inbound_url: inboundUrl = '', api_key: apiKey = '' } = demo;
    return { directory, env, process: stack, demo, client: createClient({ readUrl, inboundUrl, apiKey }), end };
  } catch (error) {
    await end();
    throw error;
  }
};
