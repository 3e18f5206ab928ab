// Checks the words of the whole repository, see prose.mjs. Prints each hit as file:line and exits with 1 if there is one.
//   node packages/testing/scripts/check-prose.mjs [file ...]
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

import { proseFaults } from './prose.mjs';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** Folders with files from elsewhere, and applied migrations, which must not change. */
const skippedFolders = new Set([
  ...['.git', '.turbo', '.crm', '.crm-bench', 'node_modules', 'dist', 'generated', 'coverage', '.figures'],
  'migrations',
]);

const isText = /\.(?:md|ts|js|mjs|cjs|sql|prisma|ya?ml|sh|conf|css|html)$|^Dockerfile|^run$|^openapi.*\.json$/;

/** Files that contain the words because they define the rules. */
const ownFiles = new Set(['prose.mjs', 'repository.test.ts']);

function* filesIn(folder) {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (skippedFolders.has(entry.name) || ownFiles.has(entry.name)) continue;
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesIn(path);
    else if (entry.isFile() && isText.test(entry.name)) yield path;
  }
}

let count = 0;
const given = process.argv.slice(2);
for (const file of given.length > 0 ? given : filesIn(root)) {
  for (const { line, word, better } of proseFaults(readFileSync(file, 'utf8'))) {
    count += 1;
    console.error(`${relative(process.cwd(), file) || basename(file)}:${line}: "${word}": write ${better}`);
  }
}
if (count > 0) {
  console.error(`${count} words to replace`);
  process.exitCode = 1;
}
