import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';

/** Loopback only: the server is reachable from this machine alone. */
export const HOST = '127.0.0.1';

/** Asks the operating system for a TCP port that is free on the loopback address now. */
export async function findFreePort(): Promise<number> {
  const server = createServer().listen({ port: 0, host: HOST, exclusive: true });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
