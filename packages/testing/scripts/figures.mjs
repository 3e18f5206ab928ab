// The table of the figures that the tests of requirements reported.
import { readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from './repository-files.mjs';

/** The names of the requirements in docs/security.md, by number. */
const requirements = Object.fromEntries(
  [...readFileSync(join(root, 'docs/security.md'), 'utf8').matchAll(/^\| (R\d+) +\| ([^|]+?) +\|/gm)].map(
    ([, number, name]) => [number, name],
  ),
);

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
  if (unknown !== undefined) throw new Error(`docs/security.md does not list the requirement ${unknown.requirement}`);
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
