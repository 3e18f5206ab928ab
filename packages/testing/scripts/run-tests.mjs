// Runs turbo with the arguments given, and ends with a table of the figures that the tests of requirements reported. The
// status is that of turbo.
import { spawn } from 'node:child_process';
import { mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

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
};

const root = fileURLToPath(new URL('../../..', import.meta.url));
const folder = process.env.CRM_FIGURES_DIR ?? join(root, 'node_modules/.cache/crm-figures');
const file = join(folder, 'figures.jsonl');

const readFigures = async () =>
  (await readFile(file, 'utf8').catch(() => ''))
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));

const rowsOf = (figures) =>
  Object.entries(requirements).flatMap(([requirement, name]) => {
    const own = figures.filter((figure) => figure.requirement === requirement);
    if (own.length === 0) return [[requirement, name, '-', 'not measured in this run']];
    return own.map(({ what, reached, required }) => [
      requirement,
      `${name}: ${what}`,
      String(reached),
      String(required),
    ]);
  });

const printTable = (rows) => {
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column].length)));
  for (const row of rows) {
    console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    );
  }
};

const run = () =>
  new Promise((resolve, reject) => {
    const turbo = spawn(join(root, 'node_modules/.bin/turbo'), process.argv.slice(2), { cwd: root, stdio: 'inherit' });
    // Whoever interrupts interrupts turbo too; the table still comes.
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => turbo.kill(signal));
    turbo.once('error', reject);
    turbo.once('exit', (code) => resolve(code ?? 1));
  });

await rm(file, { force: true });
await mkdir(folder, { recursive: true });
process.exitCode = await run();
console.log('');
printTable([['', 'Requirement', 'Reached', 'Required'], ...rowsOf(await readFigures())]);
