// The processor time of a run, and of its dearest test files.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { figuresFolder } from './figures.mjs';

const ticksPerSecond = 100;

/**
 * Processor seconds of this process and of all its ended descendants, in user and kernel mode. Null where the system does not
 * count them.
 */
export const processorSeconds = () => {
  try {
    // The name of the program comes first, in parentheses, and may contain spaces.
    const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
  } catch {
    return null;
  }
};

/** Prints the files whose jest workers used most processor time. The time of servers is not included. */
export const printDearestFiles = (count = 10) => {
  let lines;
  try {
    lines = readFileSync(join(figuresFolder, 'processor-time.jsonl'), 'utf8').trim().split('\n');
  } catch {
    return;
  }
  const files = lines.map((line) => JSON.parse(line)).sort((a, b) => b.seconds - a.seconds);
  const sum = files.reduce((total, { seconds }) => total + seconds, 0);
  console.log(`\nProcessor seconds of the ${files.length} test files without servers: ${sum.toFixed(1)}. The dearest:`);
  for (const { path, seconds } of files.slice(0, count)) console.log(`  ${seconds.toFixed(1).padStart(5)}  ${path}`);
};
