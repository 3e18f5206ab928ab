import { connect, isIP, type NetConnectOpts, type OnReadOpts, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { MessageBuffer } from './message-buffer.js';
import type { ServerAddress } from './server-address.js';

/** The SSLRequest message. The server replies with one letter. */
const tlsRequest = Buffer.from([0, 0, 0, 8, 0x04, 0xd2, 0x16, 0x2f]);

/** Why a socket closed. */
export const closeReason = (socket: Socket): Error => socket.errored ?? new Error('Connection terminated unexpectedly');

/** Waits for an event of a socket. @throws Error if the socket closes first */
const eventOf = (socket: Socket, event: string): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const onClose = (): void => reject(closeReason(socket));
    socket.once('close', onClose);
    socket.once(event, (value: unknown) => {
      socket.off('close', onClose);
      resolve(value);
    });
  });

/** Adds a listener, because an error without one would end the process. The error is handled at `close`, which follows. */
const withoutThrowing = <S extends Socket>(socket: S): S => socket.on('error', () => undefined);

/** @throws Error if the server has no TLS, or sends more than one letter: an attacker could have injected the rest before TLS starts */
const requestTls = async (socket: Socket): Promise<void> => {
  socket.write(tlsRequest);
  const answer = String(await eventOf(socket, 'data'));
  if (answer === 'S') return;
  socket.destroy();
  throw new Error(`The server does not support SSL connections${answer === 'N' ? '' : ': its answer is not valid'}`);
};

/** Makes a socket read into a {@link MessageBuffer}. By default, Node allocates 64 KB for every read. TLS sockets have no such option. */
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
    // An IP address must not be sent as the TLS server name. The certificate is checked against it nevertheless.
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(isTlsDirect ? { ALPNProtocols: ['postgresql'] } : {}),
    ...tls,
  });
  await eventOf(withoutThrowing(secured), 'secureConnect');
  return secured;
};

/**
 * Opens a socket to a server, including TLS, ready for the first message of the protocol.
 * @param onMessages - receives the data of the server; in whole messages if the connection has no TLS
 * @param signal - closes the socket when aborted, also after it has opened
 * @throws Error of the system, DNS or TLS
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
