// The table of the figures that the tests of requirements reported.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './test-files.mjs';

const requirements = {
  R1: 'one record per natural key',
  R2: 'no deadlock',
  R3: 'acknowledged writes survive a crash',
  R4: 'creates are atomic',
  R5: 'walks are complete',
  R6: 'cursors are bound and authenticated',
  R7: 'organizations are isolated',
  R8: 'one and the same 401',
  R9: 'bounds of bodies',
  R10: 'hostile input',
  R11: 'worst query',
  R12: 'rate limits over processes',
  R13: 'overload',
  R14: 'shutdown under load',
  R15: 'restart of the database',
  R16: 'migrations',
  R17: 'npm start on a fresh clone',
  R18: 'reading after writing',
  R19: 'the organization comes first',
  R20: 'no secrets in logs',
  R21: 'every answer is in the contract',
  R22: 'one note per key',
  R23: 'the change log is complete',
  R24: 'readers see each event once',
  R27: 'an erased person leaves no trace',
  R28: 'merges race other writes',
  R29: 'backups can be restored',
  R30: 'rolling upgrade',
  R31: 'a noisy organization',
};

/** Where the tests of this run write their figures. */
export const figuresFolder =
  process.env.CRM_FIGURES_DIR ?? join(root, 'node_modules/.cache/crm-figures', String(process.pid));

const readFigures = async (folder) =>
  (await readFile(join(folder, 'figures.jsonl'), 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const rowsOf = (figures, isWholeTier) => {
  const unknown = figures.find(({ requirement }) => !(requirement in requirements));
  if (unknown !== undefined) throw new Error(`figures.mjs does not list the requirement ${unknown.requirement}`);
  return Object.entries(requirements).flatMap(([requirement, name]) => {
    const own = figures.filter((figure) => figure.requirement === requirement);
    if (own.length === 0) return isWholeTier ? [[requirement, name, '-', 'not measured in this run']] : [];
    return own.map(({ what, reached, required }) => [
      requirement,
      `${name}: ${what}`,
      String(reached),
      String(required),
    ]);
  });
};

/** Prints every figure of this run. After a whole tier, also prints the requirements without a figure. */
export const printFigures = async (isWholeTier) => {
  const rows = rowsOf(await readFigures(figuresFolder), isWholeTier);
  if (rows.length === 0) return;
  const table = [['', 'Requirement', 'Reached', 'Required'], ...rows];
  const widths = [0, 1, 2].map((column) => Math.max(...table.map((row) => row[column].length)));
  console.log('');
  for (const row of table) {
    const cells = row.map((cell, column) => cell.padEnd(widths[column] ?? 0));
    console.log(cells.join('  ').trimEnd());
  }
};
