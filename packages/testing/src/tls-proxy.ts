import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TLSSocket } from 'node:tls';

/** A database over an encrypted connection, like a managed one. */
export interface TlsProxy {
  /** The server's address with the proxy's host and port. Tests add `sslmode` and the like. */
  readonly url: URL;
  /** The file with the server's certificate. It is its own authority and valid for 127.0.0.1. */
  readonly certificateFile: string;
  /** The number of encrypted connections so far. */
  readonly secured: () => number;
  stop(): Promise<void>;
}

/** A key for tests. It is not secret and protects nothing. */
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQg9gQzhqDfkmYjhv+1
iydr/HK4g3Fl62sfHO0fFmzt2OuhRANCAASqKaRdU+43MqiMsgKIirVb7pSmVlID
OHxUeLewKEuA1YCobcFpR5yGvqGDoW1QG6RLxlEEBXT+SgxcCilR7yFY
-----END PRIVATE KEY-----
`;
const certificate = `-----BEGIN CERTIFICATE-----
MIIBZzCCAQ2gAwIBAgIBATAKBggqhkjOPQQDAjAUMRIwEAYDVQQDDAlsb2NhbGhv
c3QwIBcNMjAwMTAxMDAwMDAwWhgPMjEyMDAxMDEwMDAwMDBaMBQxEjAQBgNVBAMM
CWxvY2FsaG9zdDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABKoppF1T7jcyqIyy
AoiKtVvulKZWUgM4fFR4t7AoS4DVgKhtwWlHnIa+oYOhbVAbpEvGUQQFdP5KDFwK
KVHvIVijTjBMMA8GA1UdEwEB/wQFMAMBAf8wGgYDVR0RBBMwEYIJbG9jYWxob3N0
hwR/AAABMB0GA1UdDgQWBBSiz1y2+3rxtkenZKF09zFI6lTAAjAKBggqhkjOPQQD
AgNIADBFAiB3b7D19OgRVgMc5I0APPtfSzKKutdicQCrUkUqWfB+vQIhAKmPVHpi
9Ropk2xkxkivfBQDQ8VYvFE2KO8q6/CHQjLN
-----END CERTIFICATE-----
`;

/** Starts a proxy in front of a PostgreSQL that accepts only TLS. @param targetUrl - an address with host and port */
export const startTlsProxy = async (targetUrl: string): Promise<TlsProxy> => {
  const target = new URL(targetUrl);
  const sockets = new Set<Socket>();
  let secured = 0;
  const secure = (client: Socket): void => {
    // Until this answer, the client sends only the eight bytes that request TLS.
    client.write('S');
    const upstream = connect(Number(target.port), target.hostname);
    const line = new TLSSocket(client, { isServer: true, key, cert: certificate });
    const end = (): void => {
      for (const socket of [client, upstream, line]) socket.destroy();
    };
    for (const socket of [client, upstream, line]) {
      sockets.add(socket);
      socket.on('error', end).on('close', end);
    }
    line.once('secure', () => (secured += 1));
    line.pipe(upstream).pipe(line);
  };
  const server = createServer((client) => client.once('data', () => secure(client)));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folder = await mkdtemp(join(tmpdir(), 'crm-tls-'));
  const certificateFile = join(folder, 'ca.pem');
  await writeFile(certificateFile, certificate);
  const url = new URL(targetUrl);
  url.host = `127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url,
    certificateFile,
    secured: () => secured,
    stop: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
      await rm(folder, { recursive: true, force: true });
    },
  };
};
