// Runs the tests of one tier:
//   node packages/testing/scripts/run-tests.mjs test|system|soak|citus|any [part of a path ...] [options of jest]
// In the folder of a package, runs the tests of that package. At the root, ends with a table of the measured figures, a list of
// the tests that did not run, and the processor time.
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { figuresFolder, printFigures } from './figures.mjs';
import { printNotRun } from './not-run.mjs';
import { startProcessorTime } from './processor-time.mjs';
import { installCommand, missingPrograms } from './programs.mjs';
import { root } from './repository-files.mjs';
import { isInTier, listTestFiles } from './test-files.mjs';
import { startTestStack } from './test-stack.mjs';

const cores = availableParallelism();
/**
 * One worker more than cores, because system tests often wait. `npm test` has as many as cores: a third worker on two cores loaded every
 * module once more (88.9 processor seconds with three, 84.3 with two) and saved no time. At most eight, because each uses about thirty
 * connections to the one PostgreSQL.
 */
const workersOf = (tier) => String(Math.min(tier === 'test' ? Math.max(cores, 2) : cores + 1, 8));

/**
 * Options of Node for jest and its workers: garbage is collected less often, and without helper threads. In alternating runs, the
 * median with them was 111 processor seconds (six runs), and 118 without (five).
 */
const nodeOptions = ['--max-semi-space-size=64', '--single-threaded-gc'];

/** The files whose results depend on the version of PostgreSQL: those of statements, plans and write functions. */
const dependsOnServer =
  /^(packages\/db|apps\/[a-z-]+\/tests\/(search|list|summaries|walks|notes|merges|deletions|erasure|restore|bulk|setup))/;

/** Runs a program. @returns {Promise<number>} its exit code */
const run = (file, args, env = {}) =>
  new Promise((resolve, reject) => {
    const child = spawn(file, args, { cwd: root, stdio: 'inherit', env: { ...process.env, ...env } });
    const passOn = (signal) => child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, passOn);
    child.once('error', reject);
    child.once('close', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, passOn);
      resolve(code ?? 1);
    });
  });

/** Runs test files on servers that it starts for them. */
const runJest = async (files, options, env, postgres = 'embedded') => {
  if (files.length === 0) return 0;
  const needsServer = files.some(({ isUnit }) => !isUnit);
  const usesGateways = files.some((file) => file.usesGateways);
  const stop = needsServer
    ? await startTestStack(postgres, usesGateways).catch((cause) => {
        throw new Error('The servers of the tests do not start', { cause });
      })
    : () => undefined;
  const saysWorkers = options.some((option) => /^(-i|--runInBand|-w|--maxWorkers)\b/.test(option));
  const args = [
    ...nodeOptions,
    ...[join(root, 'node_modules/jest/bin/jest.js'), '--config', 'packages/testing/jest/config.json'],
    ...(saysWorkers ? [] : ['--maxWorkers', workersOf(tier)]),
    ...options,
    ...['--runTestsByPath', ...files.map(({ path }) => path)],
  ];
  try {
    return await run(process.execPath, args, { CRM_FIGURES_DIR: figuresFolder, ...env });
  } finally {
    await stop();
  }
};

const readArguments = () => {
  const [tier = 'test', ...rest] = process.argv.slice(2);
  if (isInTier[tier] === undefined) throw new Error(`${tier} is none of ${Object.keys(isInTier).join(', ')}`);
  const firstOption = rest.findIndex((argument) => argument.startsWith('-'));
  const patternCount = firstOption === -1 ? rest.length : firstOption;
  return { tier, patterns: rest.slice(0, patternCount), options: rest.slice(patternCount) };
};

/** Files whose programs are missing do not run. In CI that is a failure. */
const splitByPrograms = (files) => {
  const missing = missingPrograms([...new Set(files.flatMap(({ needs }) => needs))]);
  if (missing.length > 0) console.log(`Missing: ${missing.join(', ')}. To run every test: ${installCommand(missing)}`);
  const isRunnable = ({ needs }) => !needs.some((name) => missing.includes(name));
  return { runnable: files.filter(isRunnable), missing };
};

/**
 * Runs S17 on the databases in CITUS_URL and CITUS_PLAIN_URL, after the commands of docs/how-to/move-to-citus.md.
 * @returns {Promise<number>} an exit code
 */
const runCitusBench = async () => {
  const plain = process.env.CITUS_PLAIN_URL ?? '';
  if (plain === '') {
    console.log(
      '\nNot run: S17, which needs CITUS_PLAIN_URL, a database without Citus on a server of the same version',
    );
    return 0;
  }
  const crm = (command, url) => run(process.execPath, ['packages/cli/bin/crm.js', ...command], { DATABASE_URL: url });
  const steps = [
    () => crm(['migrate'], plain),
    () => crm(['migrate'], process.env.CITUS_URL),
    () => crm(['distribute'], process.env.CITUS_URL),
    () => crm(['roles', 'apply'], process.env.CITUS_URL),
    () => run('npm', ['run', 'bench', '--', 'S17']),
  ];
  for (const step of steps) {
    const code = await step();
    if (code !== 0) return code;
  }
  return 0;
};

const { tier, patterns, options } = readArguments();
if (tier === 'citus' && (process.env.CITUS_URL ?? '') === '') {
  throw new Error('test:citus needs CITUS_URL, see packages/testing/README.md');
}
const packageFolder = relative(root, process.cwd());
const isAtRoot = packageFolder === '';
const isWholeTier = isAtRoot && patterns.length === 0;
const all = listTestFiles();
const wanted = all.filter(
  (file) =>
    isInTier[tier](file) &&
    (isAtRoot || file.path.startsWith(`${packageFolder}/`)) &&
    (patterns.length === 0 || patterns.some((pattern) => file.path.includes(pattern))),
);
if (wanted.length === 0 && patterns.length > 0) {
  console.error(
    `No test file of the tier "${tier}" has ${patterns.join(' or ')} in its path. "any" searches all tiers.`,
  );
  process.exit(1);
}
const { runnable, missing } = splitByPrograms(wanted);
const statuses = [missing.length > 0 && process.env.CI === 'true' ? 1 : 0];
// run-mutations.mjs builds only the package that it changes.
if (process.env.CRM_TESTS_ARE_BUILT !== '1') {
  const build = ['run', 'build', `--concurrency=${cores}`, '--output-logs=errors-only'];
  const built = await run(join(root, 'node_modules/.bin/turbo'), build, { TURBO_TELEMETRY_DISABLED: '1' });
  if (built !== 0) process.exit(built);
}
const hasBudget = isWholeTier && tier === 'test' && options.length === 0;
const endProcessorTime = await startProcessorTime(hasBudget ? { cores, nodeOptions } : null);
statuses.push(await runJest(runnable, options, tier === 'soak' ? { SOAK: '1' } : {}));
if (tier === 'system' && isWholeTier && missingPrograms(['postgresql']).length === 0) {
  console.log('\nThe tests of statements and write functions on the PostgreSQL of Debian:');
  const served = all.filter((file) => isInTier.database(file) && dependsOnServer.test(file.path));
  statuses.push(await runJest(served, [], {}, 'debian'));
}
if (tier === 'citus' && isWholeTier) statuses.push(await runCitusBench());
if (tier === 'soak' && isWholeTier) {
  statuses.push(await run(process.execPath, ['packages/testing/scripts/run-mutations.mjs']));
}
if (isAtRoot) await printFigures(isWholeTier);
if (isWholeTier && tier !== 'citus') printNotRun(all, runnable, tier);
if (isAtRoot) statuses.push(await endProcessorTime());
await rm(figuresFolder, { recursive: true, force: true });
process.exitCode = Math.max(...statuses);
