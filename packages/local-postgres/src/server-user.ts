import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

/** The unprivileged user that runs the server, because PostgreSQL refuses root. */
export interface ServerUser {
  uid: number;
  gid: number;
}

/** A program with its arguments, and the user that Node switches to if no helper program does. */
export interface Command {
  file: string;
  args: string[];
  uid?: number;
  gid?: number;
}

interface CommandOptions {
  /** Null if this process is already an ordinary user. */
  user: ServerUser | null;
  /** Lets the user enter folders that are closed to it; see `needsSearchCapability`. */
  searchCapability: boolean;
  /** The signal that the kernel sends to the program when its parent ends or is killed (Linux only). */
  parentDeathSignal: 'INT' | null;
}

/**
 * Chooses the user that runs the server. An ordinary user runs it directly. Root uses the owner of an existing cluster,
 * else the user `postgres`, else `nobody`. No user is created: starting a demo must not change the machine.
 */
export async function chooseServerUser(dataDir: string): Promise<ServerUser | null> {
  if (process.getuid?.() !== 0) return null;
  const owner = await stat(join(dataDir, 'PG_VERSION')).catch(() => null);
  if (owner !== null && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid };
  const passwd = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const user = parseUser(passwd, 'postgres') ?? parseUser(passwd, 'nobody');
  if (user !== null) return user;
  throw new Error('PostgreSQL does not run as root, and this machine has neither a user "postgres" nor "nobody"');
}

/** Finds a user that is not root in the text of /etc/passwd. */
export function parseUser(passwd: string, name: string): ServerUser | null {
  const line = passwd.split('\n').find((entry) => entry.startsWith(`${name}:`));
  const [, , uid, gid] = line?.split(':') ?? [];
  if (uid === undefined || gid === undefined || Number(uid) === 0) return null;
  return { uid: Number(uid), gid: Number(gid) };
}

/**
 * Whether the user needs the capability to enter closed folders in order to reach one of the paths. Root's home and temporary folders
 * are closed to other users, and a checkout is often in one of them.
 * @throws if the capability is needed and cannot be given
 */
export async function needsSearchCapability(user: ServerUser | null, paths: string[]): Promise<boolean> {
  if (user === null) return false;
  for (const path of paths) {
    const closed = await findClosedParent(user, path);
    if (closed === null) continue;
    if (hasSetpriv()) return true;
    throw new Error(
      `PostgreSQL runs as user id ${user.uid} and cannot pass ${closed} to reach ${path}: ` +
        `move it to a folder open to that user, or run "chmod o+x ${closed}"`,
    );
  }
  return false;
}

async function findClosedParent(user: ServerUser, path: string): Promise<string | null> {
  for (let folder = dirname(resolve(path)); ; folder = dirname(folder)) {
    const { mode, uid, gid } = await stat(folder);
    const executeBit = uid === user.uid ? 0o100 : gid === user.gid ? 0o010 : 0o001;
    if ((mode & executeBit) === 0) return folder;
    if (folder === dirname(folder)) return null;
  }
}

/** initdb checks its programs with access(2), which ignores the capability unless the secure bit is set. */
const SEARCH_CAPABILITY_FLAGS = [
  '--securebits=+no_setuid_fixup',
  '--inh-caps=+dac_read_search',
  '--ambient-caps=+dac_read_search',
];

/** Makes a program run as the given user. The helper setpriv executes it in the same process, so the id stays the same. */
export function asServerUser(file: string, args: string[], options: CommandOptions): Command {
  const { user, searchCapability, parentDeathSignal } = options;
  const flags: string[] = [];
  if (parentDeathSignal !== null && hasSetpriv()) flags.push('--pdeathsig', parentDeathSignal);
  if (searchCapability) flags.push(...SEARCH_CAPABILITY_FLAGS);
  if (flags.length === 0) return user === null ? { file, args } : { file, args, ...user };
  if (user !== null) flags.push(`--reuid=${user.uid}`, `--regid=${user.gid}`, '--clear-groups');
  return { file: 'setpriv', args: [...flags, '--', file, ...args] };
}

let setprivFound: boolean | undefined;

function hasSetpriv(): boolean {
  // Other implementations of setpriv (busybox) lack the flags used above. If setpriv is missing, there is no output.
  setprivFound ??= existsSync('/proc/self') && /--pdeathsig/.test(String(spawnSync('setpriv', ['--help']).stdout));
  return setprivFound;
}
