// Checks the words of the whole repository, see prose.mjs. Prints each hit as file:line and exits with 1 if there is one.
//   node packages/testing/scripts/check-prose.mjs [file ...]
import { readFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';

import { proseFaults } from './prose.mjs';
import { filesIn, root } from './repository-files.mjs';

const isText = /\.(?:md|ts|js|mjs|cjs|sql|prisma|ya?ml|sh|conf|css|html)$|^Dockerfile|^run$|^openapi.*\.json$/;

/** Files that contain the words because they define the rules. */
const ownFiles = new Set(['prose.mjs', 'repository.test.ts']);

/** Applied migrations must not change. */
const isChecked = (path) =>
  isText.test(basename(path)) && !ownFiles.has(basename(path)) && !path.includes('/migrations/');

let count = 0;
const given = process.argv.slice(2);
for (const file of given.length > 0
  ? given
  : filesIn('')
      .filter(isChecked)
      .map((path) => join(root, path))) {
  for (const { line, word, better } of proseFaults(readFileSync(file, 'utf8'))) {
    count += 1;
    console.error(`${relative(process.cwd(), file) || basename(file)}:${line}: "${word}": write ${better}`);
  }
}
if (count > 0) {
  console.error(`${count} words to replace`);
  process.exitCode = 1;
}
