import { spawn, type ChildProcess } from 'node:child_process';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { CliError, errorCode } from '../errors.js';
import { privateMode } from '../private-mode.js';

/** The processes that a stack runs beside PostgreSQL. `name` is the folder in `apps`. */
export const processKinds = [
  { name: 'read-gateway', portVariable: 'CRM_READ_PORT', defaultPort: 4000 },
  { name: 'inbound-gateway', portVariable: 'CRM_INBOUND_PORT', defaultPort: 4001 },
  { name: 'webhook-worker', portVariable: 'CRM_WEBHOOK_PORT', defaultPort: 4002 },
] as const;

/** One of {@link processKinds}. */
export type ProcessKind = (typeof processKinds)[number];
/** The name of a process, which is that of its folder. */
export type ProcessName = ProcessKind['name'];

/** What a process needs. */
export interface ProcessOptions {
  readonly port: number;
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Variables of this stack. The process inherits the other variables of the shell. */
  readonly own: Readonly<Record<string, string>>;
}

/** The processes accept connections only from this machine, because the demo's key is printed on the screen. */
const host = '127.0.0.1';
const readyTimeoutMs = 60_000;
const stopTimeoutMs = 25_000;
const pollIntervalMs = 50;
/** Variables that are not inherited from the shell, because they could name other servers or one port for all. */
const ownVariables = [
  'DATABASE_URL',
  'READ_DATABASE_URL',
  'REDIS_URL',
  'PORT',
  'HOST',
  'ADMIN_PORT',
  'ADMIN_HOST',
  'CURSOR_SECRETS',
];

/** The address of a process. */
export const urlOf = (port: number): string => `http://${host}:${port}`;

/** The path of a process's compiled main file. */
const mainFile = (name: ProcessName): string =>
  fileURLToPath(new URL(`../../../../apps/${name}/dist/main.js`, import.meta.url));

/**
 * Why a port cannot be used, with the variable that changes it. Undefined if it is free.
 *
 * @param patienceMs - how long to wait for it; after a kill, the previous process may still be shutting down
 */
export const portProblem = async (
  { name, portVariable }: ProcessKind,
  port: number,
  patienceMs: number,
): Promise<string | undefined> => {
  const deadlineMs = performance.now() + patienceMs;
  let problem = await listenProblem(port);
  while (problem === 'EADDRINUSE' && performance.now() < deadlineMs) {
    await sleep(pollIntervalMs);
    problem = await listenProblem(port);
  }
  if (problem === undefined) return undefined;
  const why = problem === 'EADDRINUSE' ? 'is taken by another program' : `cannot be used (${problem})`;
  return `Port ${port}, for the ${name.replace('-', ' ')}, ${why}. Choose another one: ${portVariable}=${port + 100} crm start`;
};

const listenProblem = (port: number): Promise<string | undefined> =>
  new Promise((done) => {
    const server = createServer();
    server.once('error', (error) => done(errorCode(error) ?? error.message));
    server.listen({ port, host, exclusive: true }, () => server.close(() => done(undefined)));
  });

/** One running process of the stack. */
export class StackProcess {
  readonly url: string;
  /** Resolves with a description when the process ends, for any reason. */
  readonly ended: Promise<string>;

  private constructor(
    readonly name: ProcessName,
    port: number,
    private readonly child: ChildProcess,
    private readonly logFile: string,
  ) {
    this.url = urlOf(port);
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
  }

  /** Starts a process; its output goes to a file in the data directory. */
  static async start(name: ProcessName, { port, directory, env, own }: ProcessOptions): Promise<StackProcess> {
    const logFile = join(directory, 'logs', `${name}.log`);
    await mkdir(dirname(logFile), { recursive: true });
    // Keeps only the log of the last run beside the current one, so that logs do not grow without limit.
    await rename(logFile, `${logFile}.1`).catch(() => undefined);
    const log = await open(logFile, 'a', privateMode);
    try {
      const preload = new URL('./exit-with-parent.js', import.meta.url).href;
      const inherited = Object.entries(env).filter(([variable]) => !ownVariables.includes(variable));
      const child = spawn(process.execPath, ['--import', preload, mainFile(name)], {
        // A separate session, so that Ctrl-C in the terminal reaches only the stack, which stops its parts in order.
        detached: true,
        env: { LOG_LEVEL: 'info', ...Object.fromEntries(inherited), PORT: String(port), HOST: host, ...own },
        stdio: ['ignore', log.fd, log.fd, 'ipc'],
      });
      return new StackProcess(name, port, child, logFile);
    } finally {
      await log.close();
    }
  }

  /**
   * Waits until the process reports that it is ready.
   *
   * @throws CliError with the end of its log, if it stops or takes too long.
   */
  async waitUntilReady(signal: AbortSignal): Promise<void> {
    const deadlineMs = performance.now() + readyTimeoutMs;
    let end: string | undefined;
    void this.ended.then((description) => (end = description));
    while (!(await isReady(this.url))) {
      signal.throwIfAborted();
      if (end !== undefined) throw new CliError(`The ${this.name} did not start (${end}). ${await this.logTail()}`);
      if (performance.now() > deadlineMs) {
        throw new CliError(`The ${this.name} is not ready after ${readyTimeoutMs / 1000} s. ${await this.logTail()}`);
      }
      await sleep(pollIntervalMs);
    }
  }

  /** Throws once the process has ended by itself. */
  async failAtEnd(): Promise<never> {
    const end = await this.ended;
    throw new CliError(`The ${this.name} ended by itself (${end}). ${await this.logTail()}`);
  }

  /** Stops it after its current requests. Kills it if that takes too long. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const timer = setTimeout(() => this.child.kill('SIGKILL'), stopTimeoutMs);
    await this.ended;
    clearTimeout(timer);
  }

  /** The path of the log and its last lines, as a message. */
  private async logTail(): Promise<string> {
    const text = await readFile(this.logFile, 'utf8').catch(() => '');
    return `Its log is ${this.logFile}. It ends with:\n${text.trim().split('\n').slice(-15).join('\n')}`;
  }
}

const isReady = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
};
