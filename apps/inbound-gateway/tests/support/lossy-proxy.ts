import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** A database reached over a line that can lose answers. */
export interface LossyProxy {
  readonly url: string;
  /** Drops a connection instead of passing on the answer to what holds this text; the server has done it by then. Once. */
  loseAnswerTo(text: string): void;
  stop(): Promise<void>;
}

/** Puts a proxy before a database. */
export const startLossyProxy = async (databaseUrl: string): Promise<LossyProxy> => {
  const target = new URL(databaseUrl);
  const sockets = new Set<Socket>();
  let lost: string | null = null;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.on('error', () => undefined);
      socket.on('close', () => {
        client.destroy();
        upstream.destroy();
      });
    }
    let losesAnswer = false;
    client.on('data', (bytes: Buffer) => {
      if (lost !== null && bytes.includes(lost)) {
        lost = null;
        losesAnswer = true;
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes: Buffer) => {
      if (losesAnswer) client.destroy();
      else client.write(bytes);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = new URL(databaseUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: url.href,
    loseAnswerTo: (text) => {
      lost = text;
    },
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
