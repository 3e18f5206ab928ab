import { connect, type Socket } from 'node:net';

/** A response as it was received. */
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
  /** Whether the server has closed or reset the connection. */
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

  /** The response received so far, or null before its head has arrived. */
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

/** Sends a text, which need not be HTTP, and waits until the server closes the connection. */
export const sendRaw = async (port: number, text: string): Promise<RawAnswer> => {
  const connection = new RawConnection(port);
  connection.socket.write(text, 'latin1');
  await connection.ended;
  connection.socket.destroy();
  if (connection.answer === null) throw new Error(`no answer, only ${JSON.stringify(connection.received)}`);
  return connection.answer;
};
