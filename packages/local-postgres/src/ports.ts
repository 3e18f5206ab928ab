import { createServer } from 'node:net';

/** Loopback only: the server is reachable from this machine alone. */
export const HOST = '127.0.0.1';

/** Asks the operating system for a TCP port that is free on the loopback address now. */
export async function findFreePort(): Promise<number> {
  const port = await tryListen(0);
  if (port === null) throw new Error('this machine has no free TCP port');
  return port;
}

/** @throws an error that names the port if another program listens on it */
export async function assertPortFree(port: number): Promise<void> {
  if ((await tryListen(port)) === null) {
    throw new Error(`port ${port} on ${HOST} is taken by another program: choose another port for PostgreSQL`);
  }
}

function tryListen(port: number): Promise<number | null> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(null);
      else reject(error);
    });
    server.listen({ port, host: HOST, exclusive: true }, () => {
      const address = server.address();
      server.close(() => {
        resolve(typeof address === 'object' && address !== null ? address.port : null);
      });
    });
  });
}
