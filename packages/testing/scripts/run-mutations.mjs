// Removes one protection after the other and reports which tests fail: if the tests pass without a protection, it is not tested.
// Each test runs with the protection first, because a test that fails anyway proves nothing. Changes files of the working tree
// and restores them, even if it is interrupted.
//
// `npm run test:soak` ends with all of them, which takes at least twenty minutes. To select them by requirement, or by a word in
// `removed`:
//   node packages/testing/scripts/run-mutations.mjs R8 signature
import { spawn } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { mutations } from './mutations.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const runner = fileURLToPath(new URL('run-tests.mjs', import.meta.url));
/** A test that hangs without its protection has failed. */
const longestMs = 120_000;

let stop = () => undefined;

const run = (command, args, folder) =>
  new Promise((resolve, reject) => {
    // A separate process group, so that servers started by tests end with them.
    const child = spawn(command, args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const end = () => process.kill(-child.pid, 'SIGTERM');
    let isTooLong = false;
    const timer = setTimeout(() => {
      isTooLong = true;
      end();
    }, longestMs);
    stop = end;
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (status) => {
      clearTimeout(timer);
      stop = () => undefined;
      resolve({ status, output, isTooLong });
    });
  });

/** The titles of failed tests, as jest prints them. */
const failedIn = (output) => [
  ...new Set([...output.matchAll(/● (?!Console$)(.+)$/gm)].map(([, title]) => title.trim())),
];

/** Builds what has changed, and runs tests. */
const runTests = (tests) => {
  const [folder, ...patterns] = tests.split(' ');
  return run(process.execPath, [runner, 'any', ...patterns], join(root, folder));
};

/** The results of tests with all protections, by the tests that were run. */
const untouched = new Map();

const runUntouched = async (tests) => {
  const known = untouched.get(tests) ?? (await runTests(tests));
  untouched.set(tests, known);
  return known;
};

const tryOne = async ({ file, from, to, tests }) => {
  const path = join(root, file);
  const text = readFileSync(path, 'utf8');
  if (text.split(from).length !== 2) return { verdict: 'NOT FOUND', detail: `once in ${file}` };
  const before = await runUntouched(tests);
  if (before.status !== 0) return { verdict: 'FAILED BEFORE', detail: before.output.slice(-300) };
  const restore = () => writeFileSync(path, text);
  const onSignal = () => {
    restore();
    stop();
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal);
  try {
    writeFileSync(
      path,
      text.replace(from, () => to),
    );
    const { status, output, isTooLong } = await runTests(tests);
    if (status === 0) return { verdict: 'SURVIVED', detail: tests };
    const [failed] = failedIn(output);
    if (failed !== undefined) return { verdict: 'caught', detail: failed };
    // The servers of the tests are the product too.
    if (output.includes('The servers of the tests do not start'))
      return { verdict: 'caught', detail: 'the servers of the tests do not start' };
    return isTooLong
      ? { verdict: 'caught', detail: `${tests}: did not end in time` }
      : { verdict: 'NOT RUN', detail: output.slice(-300) };
  } finally {
    restore();
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
  }
};

const wanted = process.argv.slice(2);
const chosen = mutations.filter(
  ({ requirement, removed }) =>
    wanted.length === 0 || wanted.some((word) => requirement === word || removed.includes(word)),
);
if (chosen.length === 0) {
  console.error(`No protection is called ${wanted.join(' or ')}: see packages/testing/scripts/mutations.diff`);
  process.exit(2);
}
let missed = 0;
for (const [index, mutation] of chosen.entries()) {
  const startedAtMs = performance.now();
  const { verdict, detail } = await tryOne(mutation);
  if (verdict !== 'caught') missed += 1;
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  const place = `${index + 1}/${chosen.length}`;
  console.log(`${place} ${mutation.requirement} without ${mutation.removed}: ${verdict} (${seconds} s) ${detail}`);
}
console.log(missed === 0 ? `All ${chosen.length} were caught.` : `${missed} of ${chosen.length} were not caught.`);
process.exitCode = missed === 0 ? 0 : 1;
