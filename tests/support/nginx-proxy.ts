import { chmod, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, startProgram } from '@crm/testing';

const shippedConfig = new URL('../../docker/proxy/nginx.conf', import.meta.url);
const startScript = new URL('../../docker/proxy/start-proxy.sh', import.meta.url);

/** Debian's nginx with the script and the configuration that `docker/compose.yaml` mounts. */
export interface NginxProxy {
  readonly port: number;
  /** Without a trailing slash. */
  readonly url: string;
  /** Its log so far, from standard output and standard error. */
  log(): Promise<string>;
  /** The bytes of memory that its processes and its temporary files use. In its container, `/tmp` is memory. */
  memoryBytes(): Promise<number>;
  stop(): Promise<void>;
}

/** The variables of `docker/proxy/start-proxy.sh`. Several addresses are separated by spaces. */
export interface ProxySettings {
  readonly readGatewayUrl: string;
  readonly inboundGatewayUrl: string;
  readonly requestsPerAddress: number;
}

/** The shipped configuration, with files in a folder of the test, because several proxies run at once. */
const writeConfig = async (folder: string, port: number): Promise<string> => {
  const shipped = await readFile(shippedConfig, 'utf8');
  const config = shipped
    .replaceAll('/tmp/', `${folder}/`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('/dev/stdout', `${folder}/log`);
  await writeFile(join(folder, 'nginx.conf'), config);
  return join(folder, 'nginx.conf');
};

const listens = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });

const pageBytes = 4_096;

const childrenOf = async (pid: number): Promise<string[]> =>
  (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean);

/** The resident memory of a process and its children, without the memory that they share. */
const residentBytes = async (pid: number): Promise<number> => {
  const sizes = await Promise.all(
    [String(pid), ...(await childrenOf(pid))].map(async (one) => {
      const [, resident = 0, shared = 0] = (await readFile(`/proc/${one}/statm`, 'utf8')).split(' ').map(Number);
      return (resident - shared) * pageBytes;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** Deleted files that a process still has open use memory too. */
const openFileBytes = async (pid: number, folder: string): Promise<number> => {
  const sizes = new Map<number, number>();
  for (const child of await childrenOf(pid)) {
    for (const name of await readdir(`/proc/${child}/fd`)) {
      const file = await stat(`/proc/${child}/fd/${name}`).catch(() => null);
      if (file?.isFile() === true) sizes.set(file.ino, file.blocks * 512);
    }
  }
  for (const entry of await readdir(folder, { recursive: true })) {
    const file = await stat(join(folder, entry)).catch(() => null);
    if (file?.isFile() === true) sizes.set(file.ino, file.blocks * 512);
  }
  return [...sizes.values()].reduce((sum, size) => sum + size, 0);
};

/** Starts the proxy and waits until it listens. */
export const startNginxProxy = async (settings: ProxySettings): Promise<NginxProxy> => {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-proxy-'));
  // Started by root, the workers run as another user.
  await chmod(folder, 0o755);
  const port = await findFreePort();
  const placesOf = (urls: string): string =>
    urls
      .split(' ')
      .map((url) => new URL(url).host)
      .join(' ');
  const env = {
    PATH: `/usr/sbin:${process.env['PATH'] ?? ''}`,
    CRM_READ_GATEWAYS: placesOf(settings.readGatewayUrl),
    CRM_INBOUND_GATEWAYS: placesOf(settings.inboundGatewayUrl),
    CRM_REQUESTS_PER_ADDRESS: String(settings.requestsPerAddress),
    CRM_PROXY_CONFIG: await writeConfig(folder, port),
    CRM_PROXY_FOLDER: folder,
  };
  const log = await open(join(folder, 'log'), 'a');
  const stdio = ['ignore' as const, log.fd, log.fd];
  const program = await startProgram(['/bin/sh', startScript.pathname], () => listens(port), { stdio, env });
  await log.close();
  const pid = program.child.pid ?? 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    log: () => readFile(join(folder, 'log'), 'utf8'),
    memoryBytes: async () => (await residentBytes(pid)) + (await openFileBytes(pid, folder)),
    stop: async () => {
      await program.stop();
      // The checks of the gateways end up to a few seconds after nginx, and may write a file in between.
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 1_000 });
    },
  };
};
