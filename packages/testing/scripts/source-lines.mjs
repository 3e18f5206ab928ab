// `npm run weight`: counts the lines of each part of the repository, and fails if a part has more than its budget.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { filesIn, root } from './repository-files.mjs';

/** The most lines of each part. They only go down, except where lines move from one part to another. */
const budgets = {
  '.ci': 218,
  'apps/inbound-gateway': 1492,
  'apps/read-gateway': 877,
  'apps/webhook-worker': 470,
  bench: 2540,
  docker: 229,
  'packages/cli': 8096,
  'packages/client': 1174,
  'packages/contract': 3455,
  'packages/db': 8955,
  'packages/domain': 3077,
  'packages/http': 2940,
  'packages/local-postgres': 506,
  'packages/mcp': 1207,
  'packages/reference': 1314,
  'packages/testing': 3022,
  'packages/webhooks': 240,
  prisma: 666,
  'all source lines': 40_478,
  'lines of tests': 33_372,
  'lines of pages': 6998,
};

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

const lines = Object.fromEntries(Object.keys(budgets).map((part) => [part, 0]));
for (const path of filesIn('')) {
  const part = /^((apps|packages)\/)?[^/]+(?=\/)/.exec(path)?.[0];
  if (path.endsWith('.md')) lines['lines of pages'] += linesOf(path).length;
  if (part === undefined || !/\.([cm]?[jt]sx?|sql|diff)$/.test(path) || generatedFiles.includes(path)) continue;
  if (/\.test\.ts$|(^|\/)tests\//.test(path)) lines['lines of tests'] += linesOf(path).length;
  else for (const name of [part, 'all source lines']) lines[name] = (lines[name] ?? 0) + sourceLines(path);
}

for (const [part, count] of Object.entries(lines)) {
  const budget = budgets[part] ?? 0;
  if (count > budget) process.exitCode = 1;
  console.log(`${part.padEnd(24)} ${String(count).padStart(6)}${count > budget ? `, its budget is ${budget}` : ''}`);
}
