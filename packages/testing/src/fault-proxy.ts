import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A server behind a proxy that can simulate network faults. */
export interface FaultProxy {
  /** The server's address with the proxy's host and port. */
  readonly url: string;
  /** Delays all data in both directions; 0 passes it on at once. */
  delay(delayMs: number): void;
  /** Ends every connection with a reset. */
  cut(): void;
  /** Ends every connection, and refuses new ones until `restore`. */
  refuse(): Promise<void>;
  /**
   * Keeps connections open and accepts new ones, but passes nothing on until `restore`. Data sent meanwhile is lost.
   */
  silence(): void;
  /**
   * Waits for the response to a request that contains this text, and then drops the connection instead of passing the
   * response on. The server has executed the request by then. Does this once.
   */
  loseAnswerTo(text: string): void;
  /** Stops all faults. Silenced connections are reset, as if both ends had given up. */
  restore(): Promise<void>;
  stop(): Promise<void>;
}

interface Line {
  delayMs: number;
  isSilent: boolean;
  lostText: string | null;
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });

const close = (server: Server): Promise<void> => new Promise((resolve) => server.close(() => resolve()));

/** Passes data from one end to the other, in order. The delay is the one that was set when the data arrived. */
const pass = (from: Socket, to: Socket, line: Line, look: (bytes: Buffer) => boolean): void => {
  from.on('data', (bytes: Buffer) => {
    if (line.isSilent || !look(bytes)) return;
    const send = (): void => {
      if (!to.destroyed && !line.isSilent) to.write(bytes);
    };
    if (line.delayMs === 0) send();
    else setTimeout(send, line.delayMs).unref();
  });
};

/** Starts a proxy in front of a server. @param targetUrl - an address with host and port, such as that of a database */
export const startFaultProxy = async (targetUrl: string): Promise<FaultProxy> => {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  const line: Line = { delayMs: 0, isSilent: false, lostText: null };
  const onClient = (client: Socket): void => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
    }
    let losesAnswer = false;
    pass(client, upstream, line, (bytes) => {
      if (line.lostText !== null && bytes.includes(line.lostText)) {
        line.lostText = null;
        losesAnswer = true;
      }
      return true;
    });
    pass(upstream, client, line, () => {
      if (losesAnswer) client.destroy();
      return !losesAnswer;
    });
  };
  let server = createServer(onClient);
  await listen(server, 0);
  const { port } = server.address() as AddressInfo;
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${port}`;
  const cut = (): void => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  const refuse = async (): Promise<void> => {
    const closed = close(server);
    cut();
    await closed;
  };
  return {
    url: url.href,
    delay: (delayMs) => {
      line.delayMs = delayMs;
    },
    cut,
    refuse,
    silence: () => {
      line.isSilent = true;
    },
    loseAnswerTo: (text) => {
      line.lostText = text;
    },
    restore: async () => {
      line.delayMs = 0;
      if (line.isSilent) cut();
      line.isSilent = false;
      if (server.listening) return;
      server = createServer(onClient);
      await listen(server, port);
    },
    stop: async () => {
      if (server.listening) await refuse();
      else cut();
    },
  };
};
