import { createSocket } from 'node:dgram';
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/**
 * Below the range from which systems assign ports, so that no other program gets this port before the caller listens.
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
 * A port of the loopback address on which no process listens and which the system does not assign. No other call gets
 * it while this process runs, in this process or another.
 */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(lowestPort, highestPort);
    if ((await reservePort(port)) && (await isFree(port))) return port;
  }
};
