import { readdir, readFile } from 'node:fs/promises';
import { openDatabase } from '@crm/db';

/** Linux counts processor time in hundredths of a second. */
const msPerTick = 10;

interface ProcessTime {
  readonly pid: number;
  readonly parent: number;
  /** The processor time of the process and of its ended children, in milliseconds. */
  readonly usedMs: number;
}

const readProcess = async (pid: number): Promise<ProcessTime | null> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (text === null) return null;
  // The second field, the program name in parentheses, may contain spaces.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return { pid, parent: Number(fields[1]), usedMs: ticks * msPerTick };
};

const readAll = async (): Promise<readonly ProcessTime[]> => {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name)).map(Number);
  return (await Promise.all(pids.map(readProcess))).filter((process) => process !== null);
};

/** The main process of a connection's server. */
export const serverProcess = async (url: string): Promise<number> => {
  const database = openDatabase({ url, applicationName: 'processor-time', maxConnections: 1 });
  const [row] = await database.queryServer<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  const backend = await readProcess(row?.pid ?? 0);
  await database.close();
  return backend?.parent ?? 0;
};

/** The processor time of each process with its children, and of the whole machine. */
const usedMs = async (processes: Readonly<Record<string, number>>): Promise<Readonly<Record<string, number>>> => {
  const all = await readAll();
  const roots = new Set(Object.values(processes));
  const sums = Object.entries(processes).map(([name, root]) => {
    const members = all.filter(({ pid, parent }) => pid === root || (parent === root && !roots.has(pid)));
    return [name, members.reduce((sum, member) => sum + member.usedMs, 0)] as const;
  });
  const [, user = 0, nice = 0, system = 0] = (await readFile('/proc/stat', 'utf8')).split(/\s+/, 4).map(Number);
  return { ...Object.fromEntries(sums), 'the whole machine': (user + nice + system) * msPerTick };
};

/**
 * Starts measuring the processor time of processes. The load, the server and the test share a machine, so this shows what a slow answer
 * waited for.
 * @param processes - by name; the children of each count with it
 * @returns a function for the percentage of one processor that each has used since, 200 for two processors
 */
export const processorUse = async (
  processes: Readonly<Record<string, number>>,
): Promise<() => Promise<Readonly<Record<string, number>>>> => {
  const startedAtMs = performance.now();
  const before = await usedMs(processes);
  return async () => {
    const after = await usedMs(processes);
    const passedMs = performance.now() - startedAtMs;
    const percentages = Object.entries(after).map(([name, used]) => {
      return [name, Math.round((100 * (used - (before[name] ?? 0))) / passedMs)] as const;
    });
    return Object.fromEntries(percentages);
  };
};
