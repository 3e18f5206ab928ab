import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';

/** A new error for each use: the driver adds the statement and its values to the errors that it passes on. */
const ended = (): Error => new Error('The connection has ended');

/**
 * What the driver reads and writes in place of a socket. A socket that closes becomes an error of this stream, which fails all
 * that the driver is doing; the event `close`, at which it would connect again, does not come. So a connection is opened once, by us: the
 * driver neither repeats attempts without end nor writes to a socket that is gone, which would end the process.
 */
export class DriverStream extends Duplex {
  readonly #socket: Socket;

  constructor(socket: Socket) {
    super({
      emitClose: false,
      // The driver reads at once whatever it is handed, and asks one thing at a time.
      read: () => undefined,
      write: (chunk: Buffer, _encoding, done) => socket.write(chunk, (error) => done(error ? ended() : null)),
      final: (done) => socket.end(done),
    });
    this.#socket = socket;
    socket.once('close', () => this.destroy(ended()));
    // Whether or not the driver listens already.
    this.on('error', () => undefined);
  }

  /** The driver takes leave of the server only where this is `open`. */
  get readyState(): string {
    return this.#socket.readyState;
  }
}
