import { chmod, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findFreePort, startProgram } from '@crm/testing';

const shippedConfig = new URL('../../docker/proxy/nginx.conf', import.meta.url);
const binary = '/usr/sbin/nginx';

/** Debian's nginx with the configuration that `docker/compose.yaml` mounts. */
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

/** The values that `docker/proxy/start-proxy.sh` determines when the container starts. */
export interface ProxySettings {
  readonly readGatewayUrl: string;
  readonly inboundGatewayUrl: string;
  readonly requestsPerAddress: number;
}

const toGroup = (name: string, url: string): string =>
  `upstream ${name} {\n  least_conn;\n  server ${new URL(url).host} max_fails=1 fail_timeout=1s;\n  keepalive 64;\n}\n`;

const writeConfig = async (folder: string, port: number, settings: ProxySettings): Promise<string> => {
  const shipped = await readFile(shippedConfig, 'utf8');
  const config = shipped
    .replaceAll('/tmp/', `${folder}/`)
    .replace('listen 8080', `listen 127.0.0.1:${port}`)
    .replace('/dev/stdout', `${folder}/log`);
  await writeFile(join(folder, 'nginx.conf'), config);
  await writeFile(join(folder, 'read-gateway.conf'), toGroup('read-gateway', settings.readGatewayUrl));
  await writeFile(join(folder, 'inbound-gateway.conf'), toGroup('inbound-gateway', settings.inboundGatewayUrl));
  await writeFile(join(folder, 'settings.conf'), `limit_conn addresses ${settings.requestsPerAddress};\n`);
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
  const config = await writeConfig(folder, port, settings);
  const log = await open(join(folder, 'log'), 'a');
  const stdio = ['ignore' as const, log.fd, log.fd];
  const program = await startProgram([binary, '-e', 'stderr', '-c', config], () => listens(port), { stdio });
  await log.close();
  const pid = program.child.pid ?? 0;
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    log: () => readFile(join(folder, 'log'), 'utf8'),
    memoryBytes: async () => (await residentBytes(pid)) + (await openFileBytes(pid, folder)),
    stop: async () => {
      await program.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
