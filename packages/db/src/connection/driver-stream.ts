import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** Creates a new error for each use, because the driver adds the statement and its values to errors. */
const ended = (): Error => new Error('The connection has ended');

/**
 * The stream that the driver uses instead of a socket. If the socket closes, this stream emits an error, which fails the driver's current
 * work. It never emits `close`, because the driver would then reconnect. So only our code opens connections, and each of them once. The
 * driver cannot retry endlessly, nor write to a closed socket, which would end the process.
 */
export class DriverStream extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super({
      emitClose: false,
      // Data is pushed by the socket. No backpressure is needed, because the driver consumes data at once and runs one statement at a time.
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => socket.write(chunk, (error) => done(error ? ended() : null)),
      final: (done) => socket.end(done),
    });
    this.#socket = socket;
    socket.once('close', () => this.destroy(ended()));
    // The socket may close before the driver has added its listener.
    this.on('error', () => undefined);
  }

  /** The driver sends its Terminate message only if this is `open`. */
  get readyState(): string {
    return this.#socket.readyState;
  }
}
