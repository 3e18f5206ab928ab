import { readFileSync } from 'node:fs';
import { readFile, realpath, writeFile } from 'node:fs/promises';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** What a running server writes to `postmaster.pid` in its data directory. */
export interface Postmaster {
  pid: number;
  port: number;
  ready: boolean;
}

/** Reads `postmaster.pid`. Null if it is absent or incomplete. */
export async function readPostmaster(dataDir: string): Promise<Postmaster | null> {
  const text = await readFile(pidFile(dataDir), 'utf8').catch(() => '');
  return parsePostmaster(text);
}

/** Parses the file's lines: process id, data directory, start time, port, socket, address, memory key, status. */
export function parsePostmaster(text: string): Postmaster | null {
  const lines = text.split('\n').map((line) => line.trim());
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  return { pid, port: Number(lines[3] ?? 0), ready: lines[7] === 'ready' };
}

/**
 * The server that runs on the data directory, even if another process started it. Null if there is no `postmaster.pid`,
 * or if it is left over from a server that has ended.
 */
export async function findRunningPostmaster(dataDir: string): Promise<Postmaster | null> {
  const found = await readPostmaster(dataDir);
  if (found === null || !isAlive(found.pid)) return null;
  return (await isServerOf(dataDir, found.pid)) ? found : null;
}

/**
 * Frees a data directory whose left-over `postmaster.pid` has a process id that now belongs to another program. The
 * file is not deleted, because its memory key shows the new server whether workers of the dead server still run.
 * PostgreSQL ignores a file with the id of its own parent, so this writes the id of this process.
 */
export async function disownStalePidFile(dataDir: string): Promise<void> {
  const text = await readFile(pidFile(dataDir), 'utf8').catch(() => '');
  const found = parsePostmaster(text);
  if (found === null || !isAlive(found.pid) || (await isServerOf(dataDir, found.pid))) return;
  await writeFile(pidFile(dataDir), text.replace(/^\s*\d+/, String(process.pid)));
}

/**
 * Whether the process exists and still runs. A zombie (a dead process that its parent has not waited for) counts as
 * gone.
 */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'));
  } catch {
    return true;
  }
}

async function isServerOf(dataDir: string, pid: number): Promise<boolean> {
  const command = await readCommandLine(pid);
  const names = [dataDir, await realpath(dataDir).catch(() => dataDir)];
  // Linux separates arguments by NUL, so that a path may contain spaces; `ps` prints one line.
  const words = command.split('\0');
  const isNamed = (name: string): boolean => (words.length > 1 ? words.includes(name) : command.includes(name));
  return command.includes('postgres') && names.some(isNamed);
}

async function readCommandLine(pid: number): Promise<string> {
  try {
    return await readFile(`/proc/${pid}/cmdline`, 'utf8');
  } catch {
    try {
      return execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
    } catch {
      return '';
    }
  }
}

function pidFile(dataDir: string): string {
  return join(dataDir, 'postmaster.pid');
}
