import { readFile } from 'node:fs/promises';

/** Linux counts CPU time in hundredths of a second. */
const msPerTick = 10;

/** The CPU time of all threads of a process so far, in milliseconds. Linux only. */
export const cpuMsOf = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/stat`, 'utf8');
  // The name in parentheses may contain any character. User and system time are the 14th and 15th fields.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * msPerTick;
};

/** The resident memory of a process, in MiB. Linux only. */
export const residentMibOf = async (pid: number): Promise<number> => {
  const text = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(text)?.[1]) / 1024;
};
