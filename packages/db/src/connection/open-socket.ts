import { connect, isIP, type NetConnectOpts, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { MessageBuffer } from './message-buffer.js';
import type { ServerAddress } from './server-address.js';

/** Asks the server for TLS; it answers with one letter. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Why a socket closed. */
export const closeReason = (socket: Socket): Error => socket.errored ?? new Error('Connection terminated unexpectedly');

/** Waits for an event of a socket. @throws Error when the socket closes first */
const eventOf = (socket: Socket, event: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const onClose = (): void => reject(closeReason(socket));
    socket.once('close', onClose);
    socket.once(event, (value: unknown) => {
      socket.off('close', onClose);
      resolve(value);
    });
  });

/** Without a listener an error would end the process; what is done about it is done at `close`, which follows. */
const withoutThrowing = <S extends Socket>(socket: S): S => socket.on('error', () => undefined);

/** @throws Error if the server has no TLS, or sends more than one letter: an attacker could have added the rest before TLS starts */
const requestTls = async (socket: Socket): Promise<void> => {
  socket.write(tlsRequest);
  const answer = String(await eventOf(socket, 'data'));
  if (answer === 'S') return;
  socket.destroy();
  throw new Error(`The server does not support SSL connections${answer === 'N' ? '' : ': its answer is not valid'}`);
};

/** Has a socket read into one buffer; by itself Node makes a new one of 64 KB for every read. Below TLS there is no such choice. */
const readMessages = (onMessages: (bytes: Buffer) => void): OnReadOpts => {
  const buffer = new MessageBuffer();
  return {
    buffer: () => buffer.room,
    callback: (count) => {
      const messages = buffer.received(count);
      if (messages !== null) onMessages(messages);
      return true;
    },
  };
};

const secure = async (socket: Socket, { host, tls, isTlsDirect }: ServerAddress): Promise<Socket> => {
  if (!isTlsDirect) await requestTls(socket);
  const secured = connectTls({
    socket,
    host,
    // Certificates are checked against an address too, but TLS sends no address as a name.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(isTlsDirect ? { ALPNProtocols: ['postgresql'] } : {}),
    ...tls,
  });
  await eventOf(withoutThrowing(secured), 'secureConnect');
  return secured;
};

/**
 * Opens a connection to a server, up to where the protocol's first message goes.
 * @param onMessages - receives whole messages of the server from then on
 * @param signal - closes the socket, now or later
 * @throws Error of the system, of the name look-up or of TLS
 */
export const openSocket = async (
  address: ServerAddress,
  onMessages: (bytes: Buffer) => void,
  signal: AbortSignal,
): Promise<Socket> => {
  const { host, port, tls } = address;
  const place: NetConnectOpts = host.startsWith('/')
    ? { path: `${host}/.s.PGSQL.${port}` }
    : { host, port, keepAlive: true, noDelay: true };
  if (tls === null) {
    const socket = withoutThrowing(connect({ ...place, signal, onread: readMessages(onMessages) }));
    await eventOf(socket, 'connect');
    return socket;
  }
  const socket = withoutThrowing(connect({ ...place, signal }));
  await eventOf(socket, 'connect');
  const secured = await secure(socket, address);
  return secured.on('data', onMessages);
};
