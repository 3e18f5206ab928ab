import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the ports that systems give to whoever asks for any: none of those is taken before the caller listens. */
const [lowestPort, highestPort] = [15_000, 30_000];

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen({ host: '127.0.0.1', port }, () => server.close(() => resolve(true)));
  });

const given = new Set<number>();

/**
 * A port of the loopback address that nobody listens on now, that no program is given without asking for it, and no caller in
 * this process twice. One in another process may find the same.
 */
export const findFreePort = async (): Promise<number> => {
  for (;;) {
    const port = randomInt(lowestPort, highestPort);
    if (given.has(port)) continue;
    given.add(port);
    if (await isFree(port)) return port;
  }
};
