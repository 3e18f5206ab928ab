import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { findFreePort } from '@crm/testing';

const shippedConfig = new URL('../../docker/proxy/nginx.conf', import.meta.url);
const binary = '/usr/sbin/nginx';
const startTimeoutMs = 15_000;
const pollEveryMs = 20;

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

/** The resident memory of a process and its children, without the memory that they share. */
const residentBytes = async (pid: number): Promise<number> => {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean);
  const sizes = await Promise.all(
    [String(pid), ...children].map(async (one) => {
      const [, resident = 0, shared = 0] = (await readFile(`/proc/${one}/statm`, 'utf8')).split(' ').map(Number);
      return (resident - shared) * pageBytes;
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** Deleted files that a process still has open use memory too. */
const openFileBytes = async (pid: number, folder: string): Promise<number> => {
  const children = (await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')).trim().split(' ').filter(Boolean);
  const sizes = new Map<number, number>();
  for (const child of children) {
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

/** Starts the proxy and waits until it listens. @throws Error with its log if it does not start. */
export const startNginxProxy = async (settings: ProxySettings): Promise<NginxProxy> => {
  const folder = await mkdtemp(join(tmpdir(), 'nginx-proxy-'));
  // Started by root, the workers run as another user.
  await chmod(folder, 0o755);
  const port = await findFreePort();
  const config = await writeConfig(folder, port, settings);
  const log = await open(join(folder, 'log'), 'a');
  const child: ChildProcess = spawn(binary, ['-e', 'stderr', '-c', config], { stdio: ['ignore', log.fd, log.fd] });
  await log.close();
  const pid = child.pid ?? 0;
  const readLog = (): Promise<string> => readFile(join(folder, 'log'), 'utf8');
  const deadlineMs = performance.now() + startTimeoutMs;
  while (!(await listens(port))) {
    if (child.exitCode !== null || performance.now() > deadlineMs) {
      child.kill('SIGKILL');
      throw new Error(`nginx did not start:\n${await readLog()}`);
    }
    await sleep(pollEveryMs);
  }
  return {
    port,
    url: `http://127.0.0.1:${port}`,
    log: readLog,
    memoryBytes: async () => (await residentBytes(pid)) + (await openFileBytes(pid, folder)),
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
};
