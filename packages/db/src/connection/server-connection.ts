import type { Socket } from 'node:net';
import postgres from 'postgres';
import { DriverStream } from './driver-stream.js';
import { closeReason, openSocket } from './open-socket.js';
import type { ServerAddress } from './server-address.js';
import { withoutStatement } from './server-error.js';
import { parameterText, decodeRows } from './values.js';

/** A statement and its values. */
export interface Statement {
  /** SQL with `$1`, `$2` … where values go. */
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
  /** Whether the connection keeps it prepared; only for texts of which there are few. */
  readonly isPrepared?: boolean | undefined;
}

/** What {@link openConnection} needs. */
export interface ConnectionOptions {
  readonly address: ServerAddress;
  /** Settings of the session; those of the address win. */
  readonly settings: Readonly<Record<string, string>>;
  /** How long opening may take, in milliseconds. */
  readonly openWithinMs: number;
  /** How long an answer may take, in milliseconds; 0 for no limit. */
  readonly answerWithinMs: number;
}

/** How long a server may take to close a connection that is no longer needed, in milliseconds. */
const closeWithinMs = 1_000;

/** Types whose values the driver would change, among them JSON, which it would encode twice: all values are texts already. */
const changedTypes = [16, 17, 114, 1082, 1114, 1184, 3802];
const same = (text: string): string => text;

const startDriver = ({ address, settings }: ConnectionOptions, stream: DriverStream): postgres.Sql => {
  const options = {
    // One instance of the driver is one connection, opened by us, that carries one statement at a time: the driver queues nothing.
    max: 1,
    socket: () => stream,
    user: address.user,
    password: address.password,
    database: address.database,
    connection: { ...settings, ...address.settings } as Partial<postgres.ConnectionParameters>,
    types: { text: { to: 25, from: changedTypes, serialize: same, parse: same } },
    fetch_types: false,
    onnotice: () => undefined,
    idle_timeout: 0,
    connect_timeout: 0,
    max_lifetime: null,
    // Without it the driver remembers every failed statement for ever. What it adds to errors goes no further than here.
    debug: true,
  };
  return postgres(options);
};

/** With `debug` the driver makes an error for every statement, of which the stack trace is what costs. */
const withoutStackTraces = <T>(make: () => T): T => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

/** One connection to a server. It is never reopened after it was closed. */
export class ServerConnection {
  readonly #socket: Socket;
  readonly #sql: postgres.Sql;
  readonly #answerWithinMs: number;
  /** Fail the statements that have no answer yet. */
  readonly #pending = new Set<(reason: Error) => void>();

  constructor(options: ConnectionOptions, socket: Socket, stream: DriverStream) {
    this.#socket = socket;
    this.#answerWithinMs = options.answerWithinMs;
    socket.once('close', () => {
      const reason = closeReason(socket);
      for (const fail of this.#pending) fail(reason);
    });
    this.#sql = startDriver(options, stream);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  /** Calls back when the connection is closed, with the reason. */
  onClose(listener: (reason: Error) => void): void {
    this.#socket.once('close', () => listener(closeReason(this.#socket)));
  }

  /**
   * Runs a statement and returns its rows.
   * @throws ServerError as the server says; Error of the connection when it breaks, or is closed for want of an answer in time
   */
  query<Row extends object>(statement: Statement, withinMs = this.#answerWithinMs): Promise<Row[]> {
    const { text, values = [], isPrepared = false } = statement;
    return new Promise((resolve, reject) => {
      const settle = (end: () => void): void => {
        clearTimeout(timer);
        this.#pending.delete(fail);
        end();
      };
      const fail = (reason: Error): void => settle(() => reject(reason));
      const giveUp = (): void => void this.#socket.destroy(new Error('Query read timeout'));
      const timer = withinMs === 0 ? undefined : setTimeout(giveUp, withinMs);
      this.#pending.add(fail);
      if (!this.isOpen) {
        fail(closeReason(this.#socket));
        return;
      }
      // The driver's own list of rows has gaps after a statement that failed within its rows.
      const rows: (Buffer | null)[][] = [];
      const parameters = values.map(parameterText);
      withoutStackTraces(() => this.#sql.unsafe(text, parameters, { prepare: isPrepared }))
        .raw()
        .forEach((row) => rows.push(row))
        // What returns no rows may have no columns either.
        .then(({ columns }) => (rows.length === 0 ? [] : decodeRows<Row>(columns, rows)))
        .then(
          (read) => settle(() => resolve(read)),
          (error: unknown) => fail(this.#reasonOf(error)),
        );
    });
  }

  /** Why a statement failed: what the server says, or why its connection ended. */
  #reasonOf(error: unknown): Error {
    const isOfServer = error instanceof postgres.PostgresError;
    return isOfServer || this.isOpen ? withoutStatement(error) : closeReason(this.#socket);
  }

  /** Takes leave of the server, and waits a moment for it to close the connection. */
  async close(): Promise<void> {
    if (this.#socket.destroyed) return;
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    const timer = setTimeout(() => this.#socket.destroy(), closeWithinMs);
    await this.#sql.end({ timeout: 0 });
    await closed;
    clearTimeout(timer);
  }

  /** Closes the connection at once, with whatever runs on it. */
  destroy(): void {
    this.#socket.destroy();
  }
}

/**
 * Opens a connection and logs in.
 * @throws Error of the system, of TLS or of the time limit; ServerError when the server refuses
 */
export const openConnection = async (options: ConnectionOptions): Promise<ServerConnection> => {
  const limit = new AbortController();
  const late = new Error('Connection terminated: it did not open in time');
  const timer = setTimeout(() => limit.abort(late), options.openWithinMs);
  try {
    const socket = await openSocket(options.address, (bytes) => stream.push(bytes), limit.signal);
    // The server says nothing before it was spoken to.
    const stream = new DriverStream(socket);
    const connection = new ServerConnection(options, socket, stream);
    // The driver logs in when it has something to send.
    await connection.query({ text: 'SELECT 1' }, 0).catch((error: unknown) => {
      connection.destroy();
      throw error;
    });
    return connection;
  } catch (error) {
    throw limit.signal.aborted ? late : error;
  } finally {
    clearTimeout(timer);
  }
};
