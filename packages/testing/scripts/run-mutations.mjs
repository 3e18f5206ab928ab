// Makes one small fault after the other and reports whether a test notices it: a fault that none notices breaks a promise that is
// not tested. Changes files of the working tree and restores them, even if it is interrupted. `npm run test:soak` ends with all.
//
//   npm run test:mutations                                   every patch in packages/testing/mutations
//   npm run test:mutations -- R8 signature                   those with this name, requirement or word in their title
//   npm run test:mutations -- --changed-since main           those whose files or tests changed since a commit
//   npm run test:mutations -- --generate 40 --seed 7         generated ones, see mutants.mjs
//   Options: --minutes 10 (starts no other one after that), --from 11 (continues a run that ended after 10), --system (also tries the
//   system tests), --folder (other patches)
import { execFileSync, spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { changeOf, filesOf, mutationsFolder, readMutations, roomOf, testsOf, textsOf } from './mutations.mjs';
import { root } from './repository-files.mjs';

/** A test that has not ended by then hangs. */
const longestMs = 900_000;
const built = { ...process.env, CRM_TESTS_ARE_BUILT: '1' };
let stop = () => undefined;

/** Runs a program in a process group of its own, so that servers started by tests end with it. */
const run = (command, args) =>
  new Promise((resolve, reject) => {
    const child = spawn(command, args, { cwd: root, stdio: ['ignore', 'pipe', 'pipe'], detached: true, env: built });
    let isTooLong = false;
    let output = '';
    const end = () => process.kill(-child.pid, 'SIGTERM');
    const timer = setTimeout(() => {
      isTooLong = true;
      end();
    }, longestMs);
    stop = end;
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
    child.once('error', reject);
    child.once('close', (status) => {
      clearTimeout(timer);
      stop = () => undefined;
      resolve({ status, output, isTooLong });
    });
  });

const runTests = (paths) =>
  run(process.execPath, ['packages/testing/scripts/run-tests.mjs', 'any', ...paths, '--bail']);

/** Builds the changed packages. Others use their JavaScript, and only its types could make them differ. */
const build = async (paths) => {
  const folders = paths.filter((path) => path.endsWith('.ts')).map((path) => path.replace(/\/src\/.*/s, ''));
  for (const folder of new Set(folders)) {
    const { status, output } = await run('npm', ['run', 'build', '-w', folder]);
    if (status !== 0) throw new Error(`${folder} does not build:\n${output.slice(-500)}`);
  }
};

/** Runs work with the fault in the sources and the builds. */
const withFault = async (texts, work) => {
  const paths = texts.map(({ path }) => path);
  const restore = () => texts.forEach(({ path, before }) => writeFileSync(join(root, path), before));
  const onSignal = () => {
    restore();
    stop();
    console.error('\nThe sources are restored. `npm run build` restores what was built.');
    process.exit(130);
  };
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, onSignal);
  try {
    texts.forEach(({ path, after }) => writeFileSync(join(root, path), after));
    await build(paths);
    return await work();
  } finally {
    restore();
    await build(paths);
    for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, onSignal);
  }
};

const failedFilesIn = (output) => [...new Set([...output.matchAll(/^FAIL (\S+\.test\.ts)/gm)].map(([, path]) => path))];
const failedTestIn = (output) => /● (?!Console$)(.+)$/m.exec(output)?.[1]?.trim();
/** Whether a file passes without any fault: a test that fails anyway proves nothing. */
const passes = new Map();
const passUntouched = async (files) => {
  for (const file of files) if (!passes.has(file)) passes.set(file, (await runTests([file])).status === 0);
  return files.filter((file) => passes.get(file));
};

/** What the tests say with the fault, up to the first stage that notices it. */
const tryFault = async (stages) => {
  for (const paths of stages) {
    const { status, output, isTooLong } = await runTests(paths);
    if (status === 0) continue;
    const files = failedFilesIn(output);
    if (files.length > 0)
      return { verdict: 'caught', files, detail: `${files[0]}: ${failedTestIn(output) ?? 'does not load'}` };
    // The servers of the tests are the product too.
    if (output.includes('The servers of the tests do not start'))
      return { verdict: 'caught', detail: 'the servers do not start' };
    return isTooLong
      ? { verdict: 'caught', detail: `${paths.length} test files did not end in ${longestMs / 60_000} minutes` }
      : { verdict: 'NOT RUN', detail: output.slice(-500) };
  }
  return { verdict: 'SURVIVED', detail: stages.map((paths) => `${paths.length} test files`).join(', then ') };
};

const tryOne = async (mutation, withSystemTests) => {
  const texts = textsOf(mutation);
  if (texts === null) return { verdict: 'DOES NOT APPLY', detail: 'make the patch again' };
  const stages = testsOf(mutation, withSystemTests);
  if (stages.length === 0) return { verdict: 'NOT RUN', detail: 'a part of `fails` names no test file' };
  const outcome = await withFault(texts, () => tryFault(stages)).catch((error) => ({
    verdict: 'NOT RUN',
    detail: error.message,
  }));
  const { files = [], ...result } = outcome;
  if (files.length === 0 || (await passUntouched(files)).length > 0) return result;
  return { verdict: 'FAILED BEFORE', detail: `${files.join(', ')} also without the fault` };
};

/** Files that differ from a commit, or null if the history does not have it. */
const changedSince = (commit) => {
  try {
    const output = execFileSync('git', ['diff', '--name-only', commit], { cwd: root, encoding: 'utf8', stdio: 'pipe' });
    return new Set(output.split('\n'));
  } catch {
    return null;
  }
};

/** The mutations that the command line selects. */
const choose = (all, words, commit) => {
  const named = all.filter(
    ({ name, title }) =>
      words.length === 0 || words.some((word) => name === word || title.split(' ')[0] === word || title.includes(word)),
  );
  if (commit === undefined) return named;
  const changed = changedSince(commit);
  if (changed === null) console.log(`No mutation is selected: the history has no commit ${commit}.`);
  return named.filter((mutation) => {
    const tests = mutation.fails.length > 0 ? testsOf(mutation, false).flat() : [];
    const paths = [`${mutationsFolder}/${mutation.name}.patch`, ...filesOf(mutation), ...tests];
    return paths.some((path) => changed?.has(path) === true);
  });
};

const printScore = (results) => {
  const line = (name, of) => {
    const caught = of.filter(({ verdict }) => verdict === 'caught').length;
    console.log(
      `  ${name.padEnd(30)} ${String(caught).padStart(4)} of ${String(of.length).padStart(4)}  ${Math.floor((caught / of.length) * 100)} %`,
    );
  };
  console.log('\nNoticed, by the place of the fault:');
  const rooms = new Set(results.map(({ room }) => room));
  for (const name of [...rooms].sort())
    line(
      name,
      results.filter(({ room }) => room === name),
    );
  line('all', results);
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'changed-since': { type: 'string' },
    folder: { type: 'string', default: join(root, mutationsFolder) },
    from: { type: 'string', default: '1' },
    generate: { type: 'string' },
    minutes: { type: 'string', default: 'Infinity' },
    seed: { type: 'string' },
    system: { type: 'boolean', default: false },
  },
});
const generate = async (count) => (await import('./mutants.mjs')).writeMutants(Number(count), values.seed);
const folder = values.generate === undefined ? values.folder : await generate(values.generate);
const chosen = choose(readMutations(folder), positionals, values['changed-since']);
if (chosen.length === 0 && values['changed-since'] === undefined) {
  console.error(`No mutation is called ${positionals.join(' or ')}: see ${folder}`);
  process.exit(2);
}
const endsAtMs = performance.now() + Number(values.minutes) * 60_000;
const results = [];
const skipped = Number(values.from) - 1;
for (const mutation of chosen.slice(skipped)) {
  const startedAtMs = performance.now();
  if (startedAtMs > endsAtMs) break;
  const { verdict, detail } = await tryOne(mutation, values.system);
  results.push({ room: roomOf(filesOf(mutation)[0] ?? ''), verdict });
  const seconds = Math.round((performance.now() - startedAtMs) / 1000);
  console.log(
    `${skipped + results.length}/${chosen.length} ${mutation.name} ${mutation.title}: ${verdict} (${seconds} s) ${detail}`,
  );
  if (verdict !== 'caught') console.log(changeOf(mutation).replace(/^/gm, '    '));
}
if (results.length > 0) printScore(results);
const tried = skipped + results.length;
if (tried < chosen.length) {
  console.log(`${chosen.length - tried} of ${chosen.length} were left out after ${values.minutes} minutes.`);
  console.log(`To continue: the same command with --from ${tried + 1}`);
}
process.exitCode = results.every(({ verdict }) => verdict === 'caught') ? 0 : 1;
