import { noConnectionInTime, sqlStateOf } from '../database-errors.js';
import { type ConnectionOptions, openConnection, type ServerConnection } from './server-connection.js';

/** The server, the database or the role has no connection left. */
const tooManyConnections = '53300';
/** How long the pool opens no connection after the server refused one, in milliseconds. */
const refusedPauseMs = 1_000;
/** How long a connection may be idle, in milliseconds. */
const idleMs = 10_000;
/** Connections that stay open when idle, because logging in takes longer than most requests. */
const minConnections = 1;
/** The most callers that may wait at once. By default, gateways admit fewer requests. */
const maxWaiting = 1_000;

/** Options of a {@link ConnectionPool}. */
export interface PoolOptions extends ConnectionOptions {
  readonly max: number;
  /** How long a caller may wait for a connection, in milliseconds. */
  readonly waitMs: number;
  /** Called when a connection breaks while it is idle. */
  readonly onConnectionError?: ((error: Error) => void) | undefined;
  /** Called with how long each caller waited for a connection, in milliseconds. */
  readonly onConnectionWait?: ((waitMs: number) => void) | undefined;
}

interface Waiter {
  readonly resolve: (connection: ServerConnection) => void;
  readonly reject: (error: Error) => void;
}

/**
 * Lends each connection to one caller at a time. Callers wait in order, with a limit on their waiting time and on their number. While the
 * server refuses new connections because all are in use, callers wait for the connections that the pool has.
 */
export class ConnectionPool {
  readonly #options: PoolOptions;
  readonly #open = new Set<ServerConnection>();
  /** The most recently used connection is lent next, so that surplus connections stay idle and are closed. */
  readonly #idle: { readonly connection: ServerConnection; readonly sinceMs: number }[] = [];
  readonly #waiting: Waiter[] = [];
  readonly #sweeper: NodeJS.Timeout;
  #opening = 0;
  #refusedUntilMs = 0;
  #onEmpty: (() => void) | null = null;

  constructor(options: PoolOptions) {
    this.#options = options;
    this.#sweeper = setInterval(() => this.#closeIdle(), idleMs / 2).unref();
  }

  get max(): number {
    return this.#options.max;
  }

  /** Connections that are open or being opened. */
  get totalCount(): number {
    return this.#open.size + this.#opening;
  }

  get idleCount(): number {
    return this.#idle.length;
  }

  /** Callers that wait for a connection. */
  get waitingCount(): number {
    return this.#waiting.length;
  }

  /** Lends a connection until {@link release}. @throws Error if none becomes free in time or opening one fails */
  async acquire(): Promise<ServerConnection> {
    const startedAtMs = performance.now();
    try {
      return this.#idle.pop()?.connection ?? (await this.#wait());
    } finally {
      this.#options.onConnectionWait?.(performance.now() - startedAtMs);
    }
  }

  /** Takes a connection back. @param isBroken - whether it must not be lent again */
  release(connection: ServerConnection, isBroken: boolean): void {
    if (isBroken) connection.destroy();
    else if (connection.isWornOut) void connection.close();
    else if (connection.isOpen) this.#lend(connection);
  }

  /** Closes idle connections now and the others after their work. Rejects waiting callers. */
  async close(): Promise<void> {
    clearInterval(this.#sweeper);
    const empty = new Promise<void>((resolve) => (this.#onEmpty = resolve));
    for (const { reject } of this.#waiting.splice(0)) reject(new Error('The pool is closed'));
    for (const { connection } of this.#idle.splice(0)) void connection.close();
    this.#checkEmpty();
    await empty;
  }

  #wait(): Promise<ServerConnection> {
    if (this.#onEmpty !== null) throw new Error('The pool is closed');
    if (this.#waiting.length >= maxWaiting) throw noConnectionInTime();
    return new Promise((resolve, reject) => {
      const giveUp = (): void => {
        this.#waiting.splice(this.#waiting.indexOf(waiter), 1);
        reject(noConnectionInTime());
      };
      const timer = setTimeout(giveUp, this.#options.waitMs);
      const waiter: Waiter = {
        resolve: (connection) => {
          clearTimeout(timer);
          resolve(connection);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      };
      this.#waiting.push(waiter);
      this.#openMore();
    });
  }

  #lend(connection: ServerConnection): void {
    const waiter = this.#waiting.shift();
    if (waiter !== undefined) waiter.resolve(connection);
    else if (this.#onEmpty !== null) void connection.close();
    else this.#idle.push({ connection, sinceMs: performance.now() });
  }

  /** Opens a connection for each waiting caller, up to the maximum. */
  #openMore(): void {
    while (
      this.#opening < this.#waiting.length &&
      this.totalCount < this.max &&
      (this.totalCount === 0 || performance.now() >= this.#refusedUntilMs)
    )
      void this.#openOne();
  }

  async #openOne(): Promise<void> {
    this.#opening += 1;
    try {
      const connection = await openConnection(this.#options);
      this.#open.add(connection);
      connection.onClose((reason) => this.#onClose(connection, reason));
      this.#opening -= 1;
      this.#lend(connection);
    } catch (error) {
      this.#opening -= 1;
      if (sqlStateOf(error) === tooManyConnections && this.totalCount > 0) this.#pauseOpening();
      else this.#waiting.shift()?.reject(error as Error);
      this.#openMore();
    }
    this.#checkEmpty();
  }

  #pauseOpening(): void {
    this.#refusedUntilMs = performance.now() + refusedPauseMs;
    setTimeout(() => this.#openMore(), refusedPauseMs).unref();
  }

  #onClose(connection: ServerConnection, reason: Error): void {
    this.#open.delete(connection);
    const index = this.#idle.findIndex((idle) => idle.connection === connection);
    if (index !== -1) {
      this.#idle.splice(index, 1);
      this.#options.onConnectionError?.(reason);
    }
    this.#openMore();
    this.#checkEmpty();
  }

  #closeIdle(): void {
    const beforeMs = performance.now() - idleMs;
    for (let spare = this.#open.size - minConnections; spare > 0; spare -= 1) {
      if ((this.#idle[0]?.sinceMs ?? Infinity) >= beforeMs) return;
      void this.#idle.shift()?.connection.close();
    }
  }

  #checkEmpty(): void {
    if (this.totalCount === 0) this.#onEmpty?.();
  }
}
