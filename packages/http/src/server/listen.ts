import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';

/** Where to listen. */
interface ListenOptions {
  readonly host: string;
  /** 0 takes any free port. */
  readonly port: number;
  readonly logger: Logger;
}

const listenProblem = (error: NodeJS.ErrnoException, { host, port }: ListenOptions): Error => {
  if (error.code === 'EADDRINUSE') return new Error(`Port ${port} on ${host} is already in use`, { cause: error });
  if (error.code === 'EACCES')
    return new Error(`Port ${port} on ${host} is not allowed to this user`, { cause: error });
  return new Error(`Cannot listen on ${host}, port ${port}: ${error.message}`, { cause: error });
};

/**
 * Listens, and logs later errors of the listener.
 * @returns the port in use, also if 0 was requested
 * @throws Error that names the port, if it is taken or not allowed.
 */
export const listen = (server: Server, options: ListenOptions): Promise<number> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => reject(listenProblem(error, options)));
    server.listen({ host: options.host, port: options.port }, () => {
      server.removeAllListeners('error');
      server.on('error', (error) => options.logger.error({ err: error }, 'the listener failed'));
      resolve((server.address() as AddressInfo).port);
    });
  });
