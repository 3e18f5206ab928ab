import { createSocket } from 'node:dgram';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * These ports are below those that systems assign, so that no other program gets one before the caller listens on it.
 */
const [lowestPort, highestPort] = [15_000, 30_000];
const host = '127.0.0.1';

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host, port }, () => server.close(() => resolve(true)));
  });

/**
 * Reserves a port for this process until the process ends. The reservation is a UDP socket with the same number: TCP
 * can still use the port, and the system gives the UDP socket to one process only.
 *
 * @returns false if this or another process has already reserved it
 */
export const reservePort = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = createSocket('udp4');
    socket.once('error', () => {
      socket.close();
      resolve(false);
    });
    socket.bind({ address: host, port, exclusive: true }, () => {
      socket.unref();
      resolve(true);
    });
  });

/**
 * A port of the loopback address on which no process listens, and which the system does not assign. While this process
 * runs, no other call gets the port, neither here nor in another process.
 */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(lowestPort, highestPort);
    if ((await reservePort(port)) && (await isFree(port))) return port;
  }
};
