import { connect, type Socket } from 'node:net';

/** An answer as it came over the wire. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** One connection to a server of this machine. */
export class RawConnection {
  readonly socket: Socket;
  /** Everything received so far. */
  received = '';
  /** Whether the server has ended the connection, in whatever way. */
  isEnded = false;
  readonly ended: Promise<void>;

  constructor(port: number) {
    this.socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    this.ended = new Promise((resolve) => {
      const onEnd = (): void => {
        this.isEnded = true;
        resolve();
      };
      this.socket.once('end', onEnd).once('close', onEnd);
    });
    this.socket.on('error', () => undefined);
    this.socket.on('data', (chunk: Buffer) => (this.received += chunk.toString('latin1')));
  }

  /** The answer received so far, null before its head has arrived. */
  get answer(): RawAnswer | null {
    const [head = '', ...rest] = this.received.split('\r\n\r\n');
    if (rest.length === 0) return null;
    const [statusLine = '', ...lines] = head.split('\r\n');
    const headers = new Headers(
      lines.map((line): [string, string] => [
        line.slice(0, line.indexOf(':')),
        line.slice(line.indexOf(':') + 1).trim(),
      ]),
    );
    return { status: Number(statusLine.split(' ')[1]), headers, text: rest.join('\r\n\r\n') };
  }
}

/** Sends a text that need not be HTTP, and waits until the server has ended the connection. */
export const sendRaw = async (port: number, text: string): Promise<RawAnswer> => {
  const connection = new RawConnection(port);
  connection.socket.write(text, 'latin1');
  await connection.ended;
  connection.socket.destroy();
  if (connection.answer === null) throw new Error(`no answer, only ${JSON.stringify(connection.received)}`);
  return connection.answer;
};
