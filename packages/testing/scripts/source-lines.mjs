// `npm run weight`: prints how many lines each part of the repository has. It is a report, not a check.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { filesIn, root } from './repository-files.mjs';

const generatedFiles = ['packages/client/src/types.ts', 'packages/db/sql/schema.sql'];
const linesOf = (path) => readFileSync(join(root, path), 'utf8').trimEnd().split('\n');

/** Lines that are neither blank nor only a comment. */
const sourceLines = (path) => {
  let inComment = false;
  return linesOf(path).filter((line) => {
    const isComment = inComment || /^\s*\/\*/.test(line);
    inComment = isComment && !line.includes('*/');
    return !isComment && !/^\s*($|\/\/|--)/.test(line);
  }).length;
};

const lines = {};
const add = (name, count) => {
  lines[name] = (lines[name] ?? 0) + count;
};
for (const path of filesIn('')) {
  const part = /^((apps|packages)\/)?[^/]+(?=\/)/.exec(path)?.[0];
  if (path.endsWith('.md')) add('lines of pages', linesOf(path).length);
  if (part === undefined || !/\.([cm]?[jt]sx?|sql)$/.test(path) || generatedFiles.includes(path)) continue;
  if (/\.test\.ts$|(^|\/)tests\//.test(path)) add('lines of tests', linesOf(path).length);
  else for (const name of [part, 'all source lines']) add(name, sourceLines(path));
}

for (const [part, count] of Object.entries(lines).sort())
  console.log(`${part.padEnd(24)} ${String(count).padStart(6)}`);
