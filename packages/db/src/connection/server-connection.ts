import type { Socket } from 'node:net';
import postgres from 'postgres';
import { DriverStream } from './driver-stream.js';
import { closeReason, openSocket } from './open-socket.js';
import type { ServerAddress } from './server-address.js';
import { withoutStatement } from './server-error.js';
import { parameterText, decodeRows } from './values.js';

/** A statement and its values. */
export interface Statement {
  /** SQL with the placeholders `$1`, `$2` and so on. */
  readonly text: string;
  readonly values?: readonly unknown[] | undefined;
}

/** Options of {@link openConnection}. */
export interface ConnectionOptions {
  readonly address: ServerAddress;
  /** Session settings. Settings in the address take precedence. */
  readonly settings: Readonly<Record<string, string>>;
  /** How long opening may take, in milliseconds. */
  readonly openWithinMs: number;
  /** How long a response may take, in milliseconds; 0 for no limit. */
  readonly responseLimitMs: number;
  /** Run when the connection opens. */
  readonly firstStatement: string;
}

/**
 * The most prepared statements of a connection, whose plans the server keeps. Gateways run about a hundred different texts, and the texts
 * of searches depend on the request.
 */
const maxPrepared = 150;
/** Longer texts are not prepared, so that a connection keeps at most 2.5 MB of texts. */
const maxPreparedLength = 16_384;
/** After this many runs beyond {@link maxPrepared}, a connection is replaced, because the driver cannot forget a prepared statement. */
const maxUnprepared = 1_000;

/** How long a server may take to close a connection after the Terminate message, in milliseconds. */
const closeWithinMs = 1_000;

/** Types whose values the driver would convert. Our values are texts already; JSON, for example, would be encoded twice. */
const convertedTypes = [16, 17, 114, 1082, 1114, 1184, 3802];
const same = (text: string): string => text;

const startDriver = ({ address, settings }: ConnectionOptions, stream: DriverStream): postgres.Sql => {
  const options = {
    // Each instance of the driver has one connection, which we open. It runs one statement at a time, so the driver never queues any.
    max: 1,
    socket: () => stream,
    user: address.user,
    password: address.password,
    database: address.database,
    connection: { ...settings, ...address.settings } as Partial<postgres.ConnectionParameters>,
    types: { text: { to: 25, from: convertedTypes, serialize: same, parse: same } },
    fetch_types: false,
    onnotice: () => undefined,
    idle_timeout: 0,
    connect_timeout: 0,
    max_lifetime: null,
    // Without `debug`, the driver keeps every failed statement in memory. `withoutStatement` removes what `debug` adds to errors.
    debug: true,
  };
  return postgres(options);
};

/** With `debug`, the driver creates an error for every statement. Most of its cost is the stack trace. */
const withoutStackTraces = <T>(make: () => T): T => {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return make();
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
};

/** One connection to a server. A closed connection is never reopened. */
export class ServerConnection {
  readonly #socket: Socket;
  readonly #sql: postgres.Sql;
  readonly #responseLimitMs: number;
  /** The texts of the prepared statements. */
  readonly #prepared = new Set<string>();
  #unpreparedRuns = 0;
  /** Callbacks that fail the statements without a response. */
  readonly #pending = new Set<(reason: Error) => void>();

  constructor(options: ConnectionOptions, socket: Socket, stream: DriverStream) {
    this.#socket = socket;
    this.#responseLimitMs = options.responseLimitMs;
    socket.once('close', () => {
      const reason = closeReason(socket);
      for (const fail of this.#pending) fail(reason);
    });
    this.#sql = startDriver(options, stream);
  }

  get isOpen(): boolean {
    return this.#socket.readyState === 'open';
  }

  /** Whether a new connection would plan less: this one plans many statements again, because others have taken its prepared statements. */
  get isWornOut(): boolean {
    return this.#unpreparedRuns >= maxUnprepared;
  }

  /** Calls back when the connection is closed, with the reason. */
  onClose(listener: (reason: Error) => void): void {
    this.#socket.once('close', () => listener(closeReason(this.#socket)));
  }

  /**
   * Runs a statement, prepared if there is room, and returns its rows.
   * @throws ServerError if the server reports an error; Error if the connection breaks, or is closed because no response came in time
   */
  query<Row extends object>(statement: Statement, withinMs = this.#responseLimitMs): Promise<Row[]> {
    const { text, values = [] } = statement;
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
      // The driver's own list of rows has gaps after a statement that failed while it returned rows.
      const rows: (Buffer | null)[][] = [];
      const parameters = values.map(parameterText);
      withoutStackTraces(() => this.#sql.unsafe(text, parameters, { prepare: this.#prepares(text) }))
        .raw()
        .forEach((row) => rows.push(row))
        // A statement without a result has no columns either.
        .then(({ columns }) => (rows.length === 0 ? [] : decodeRows<Row>(columns, rows)))
        .then(
          (read) => settle(() => resolve(read)),
          (error: unknown) => fail(this.#reasonOf(error)),
        );
    });
  }

  /** Whether to prepare a statement. The driver prepares each text once. */
  #prepares(text: string): boolean {
    if (this.#prepared.size < maxPrepared && text.length <= maxPreparedLength) this.#prepared.add(text);
    const isPrepared = this.#prepared.has(text);
    if (!isPrepared) this.#unpreparedRuns += 1;
    return isPrepared;
  }

  /** Why a statement failed: the server's error, or the reason why the connection closed. */
  #reasonOf(error: unknown): Error {
    const isOfServer = error instanceof postgres.PostgresError;
    return isOfServer || this.isOpen ? withoutStatement(error) : closeReason(this.#socket);
  }

  /** Sends the Terminate message and waits briefly for the server to close the connection. */
  async close(): Promise<void> {
    if (this.#socket.destroyed) return;
    const closed = new Promise((resolve) => this.#socket.once('close', resolve));
    const timer = setTimeout(() => this.#socket.destroy(), closeWithinMs);
    await this.#sql.end({ timeout: 0 });
    await closed;
    clearTimeout(timer);
  }

  /** Closes the connection at once, even while a statement runs. */
  destroy(): void {
    this.#socket.destroy();
  }
}

/**
 * Opens a connection and logs in.
 * @throws Error of the system, TLS or the time limit; ServerError if the server refuses
 */
export const openConnection = async (options: ConnectionOptions): Promise<ServerConnection> => {
  const limit = new AbortController();
  const late = new Error('Connection terminated: it did not open in time');
  const timer = setTimeout(() => limit.abort(late), options.openWithinMs);
  try {
    const socket = await openSocket(options.address, (bytes) => stream.push(bytes), limit.signal);
    // The callback above may use `stream` because the server sends nothing before the first message of the client.
    const stream = new DriverStream(socket);
    const connection = new ServerConnection(options, socket, stream);
    // The driver logs in before its first statement.
    await connection.query({ text: options.firstStatement }, 0).catch((error: unknown) => {
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
