import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describeMachine } from './machine.js';
import type { Measure } from './results.js';
import { tableOf } from './table.js';

const docs = fileURLToPath(new URL('../../../docs/', import.meta.url));
const begin = '<!-- The rest of this section is written by npm run bench. -->';
const end = '<!-- Here ends what npm run bench writes. -->';

/** Writes the figures into docs/performance.md. */
export const writeReport = async (measures: readonly Measure[]): Promise<void> => {
  const file = `${docs}performance.md`;
  const page = await readFile(file, 'utf8');
  const from = page.indexOf(begin);
  const to = page.indexOf(end);
  if (from === -1 || to === -1) throw new Error(`${file} has no markers for the figures`);
  const { cpu, cores, memory_gib: memoryGib, system, node } = describeMachine();
  const machine = `Measured on ${cores} cores (${cpu}), ${memoryGib} GiB, ${system}, Node ${node}, PostgreSQL 18.`;
  const figures = [begin, machine, tableOf(measures), end].join('\n\n');
  await writeFile(file, page.slice(0, from) + figures + page.slice(to + end.length));
};
