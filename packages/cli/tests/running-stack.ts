import { spawn, type ChildProcess } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { findFreePort } from '@crm/testing';

const launcher = fileURLToPath(new URL('../bin/crm.js', import.meta.url));

/** Only a guard against hangs: a start takes two or three seconds. */
const readyTimeoutMs = 60_000;

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
   * @param node the Node program that runs it; default: the one of this process
   */
  constructor(env: Readonly<Record<string, string>>, user?: number, node = process.execPath) {
    this.#env = env;
    this.#child = spawn(node, [launcher, 'start'], {
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(user === undefined ? {} : { uid: user, gid: user }),
    });
    this.#child.stdout?.on('data', (chunk: Buffer) => (this.stdout += chunk.toString('utf8')));
    this.#child.stderr?.on('data', (chunk: Buffer) => (this.stderr += chunk.toString('utf8')));
    this.exitCode = new Promise((resolve) => this.#child.once('close', resolve));
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** The demo file, once it exists. */
  async ready(): Promise<Readonly<Record<string, string>>> {
    const deadlineMs = performance.now() + readyTimeoutMs;
    const path = join(this.#env['CRM_DATA_DIR'] ?? '', 'demo.json');
    while (!this.stdout.includes('Ctrl-C stops it')) {
      if (this.#child.exitCode !== null || performance.now() > deadlineMs)
        throw new Error(`not ready:\n${this.stderr}`);
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

/** Two ports that are free now. */
export const freePorts = async (): Promise<readonly [number, number]> => [await findFreePort(), await findFreePort()];
