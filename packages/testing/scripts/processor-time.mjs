// The processor time of the dearest test files of a run.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { figuresFolder } from './figures.mjs';

/** Prints the files whose tests, with the processes that they started, used most processor time. */
export const printDearestFiles = (count = 10) => {
  let lines;
  try {
    lines = readFileSync(join(figuresFolder, 'processor-time.jsonl'), 'utf8').trim().split('\n');
  } catch {
    return;
  }
  const files = lines.map((line) => JSON.parse(line)).sort((a, b) => b.seconds - a.seconds);
  const sum = files.reduce((total, { seconds }) => total + seconds, 0);
  console.log(
    `\nProcessor seconds of the ${files.length} test files without shared servers: ${sum.toFixed(1)}. The dearest:`,
  );
  for (const { path, seconds } of files.slice(0, count)) console.log(`  ${seconds.toFixed(1).padStart(5)}  ${path}`);
};
