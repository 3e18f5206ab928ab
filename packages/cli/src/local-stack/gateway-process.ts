import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, open, readFile, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

import { CliError, configurationError } from '../errors.js';
import { gatewayHost } from './gateway-ports.js';

/** The gateways, by the names of their directories. */
export type GatewayName = 'read-gateway' | 'inbound-gateway';

/** The options for starting a gateway. */
export interface GatewayOptions {
  readonly name: GatewayName;
  readonly port: number;
  readonly otherPort: number;
  readonly databaseUrl: string;
  readonly cursorSecret: string;
  readonly directory: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

const readyTimeoutMs = 60_000;
const stopTimeoutMs = 25_000;
const pollIntervalMs = 50;
/**
 * Variables that gateways do not inherit from the shell, because they could name other servers or one port for both.
 */
const ownVariables = ['DATABASE_URL', 'READ_DATABASE_URL', 'REDIS_URL', 'PORT', 'HOST', 'ADMIN_PORT', 'CURSOR_SECRETS'];

/** One gateway, running in its own process. */
export class GatewayProcess {
  readonly name: GatewayName;
  readonly url: string;
  readonly logFile: string;
  /** Resolves with a description when the process ends, for any reason. */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;

  private constructor(options: GatewayOptions, child: ChildProcess, logFile: string) {
    this.name = options.name;
    this.url = `http://${gatewayHost}:${options.port}`;
    this.logFile = logFile;
    this.#child = child;
    this.ended = new Promise((resolve) => {
      child.once('error', (error) => resolve(error.message));
      child.once('exit', (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
    });
  }

  /**
   * Starts a gateway; its output goes to a file in the data directory.
   *
   * @throws CliError (78) if it is not built.
   */
  static async start(options: GatewayOptions): Promise<GatewayProcess> {
    const main = gatewayMain(options.name);
    const logFile = join(options.directory, 'logs', `${options.name}.log`);
    await mkdir(dirname(logFile), { recursive: true });
    // Keeps only the log of the last run beside the current one, so that logs do not grow without limit.
    await rename(logFile, `${logFile}.1`).catch(() => undefined);
    const log = await open(logFile, 'a', 0o600);
    try {
      const preload = new URL('./exit-with-parent.js', import.meta.url).href;
      const child = spawn(process.execPath, ['--import', preload, main], {
        // A separate session, so that Ctrl-C in the terminal reaches only the stack, which stops its parts in order.
        detached: true,
        env: gatewayEnvironment(options),
        stdio: ['ignore', log.fd, log.fd, 'ipc'],
      });
      return new GatewayProcess(options, child, logFile);
    } finally {
      await log.close();
    }
  }

  /**
   * Waits until the gateway reports that it is ready.
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

  /** The path of the log and its last lines, as a message. */
  async logTail(): Promise<string> {
    const text = await readFile(this.logFile, 'utf8').catch(() => '');
    return `Its log is ${this.logFile}. It ends with:\n${text.trim().split('\n').slice(-15).join('\n')}`;
  }

  /** Stops it after its current requests. Kills it if that takes too long. */
  async stop(): Promise<void> {
    this.#child.kill('SIGTERM');
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), stopTimeoutMs);
    await this.ended;
    clearTimeout(timer);
  }
}

/** The path of a compiled file of a gateway in this repository. The file may be missing. */
export const gatewayFile = (name: GatewayName, file: string): string =>
  fileURLToPath(new URL(`../../../../apps/${name}/dist/${file}`, import.meta.url));

/** The compiled entry of a gateway in this repository. */
const gatewayMain = (name: GatewayName): string => {
  const main = gatewayFile(name, 'main.js');
  if (existsSync(main)) return main;
  throw configurationError(`The ${name} is not built. In the repository, run: npm run build`);
};

const gatewayEnvironment = (options: GatewayOptions): NodeJS.ProcessEnv => {
  const inherited = Object.entries(options.env).filter(([name]) => !ownVariables.includes(name));
  return {
    LOG_LEVEL: 'info',
    ...Object.fromEntries(inherited),
    DATABASE_URL: options.databaseUrl,
    PORT: String(options.port),
    HOST: gatewayHost,
    CURSOR_SECRETS: options.cursorSecret,
    OTHER_GATEWAY_URL: `http://${gatewayHost}:${options.otherPort}`,
  };
};

const isReady = async (url: string): Promise<boolean> => {
  try {
    const response = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(3000) });
    await response.arrayBuffer();
    return response.status === 200;
  } catch {
    return false;
  }
};
