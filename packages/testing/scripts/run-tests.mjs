// Runs the tests of one tier:
//   node packages/testing/scripts/run-tests.mjs test|system|soak|unit|any [part of a path ...] [options of jest]
// In the folder of a package, runs the tests of that package. At the root, ends with a table of the measured figures and a list of
// the tests that did not run.
import { spawn } from 'node:child_process';
import { rm } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { createInterface } from 'node:readline';
import { buildQuietly } from '../../../.ci/build-quietly.mjs';
import { figuresFolder, printFigures } from './figures.mjs';
import { printNotRun } from './not-run.mjs';
import { installCommand, missingPrograms } from './programs.mjs';
import { isInTier, listTestFiles, root } from './test-files.mjs';

const cores = availableParallelism();
/**
 * Two workers more than cores, because tests with a database wait for time limits for a third of their time. At most
 * eight, because each uses about thirty connections to the one PostgreSQL.
 */
const workers = String(Math.min(cores + 2, 8));

/** Runs a program. @returns {Promise<number>} its exit code; lines of its output that match `hidden` are not shown */
const run = (file, args, env = {}, hidden = undefined) =>
  new Promise((resolve, reject) => {
    const stdio = ['inherit', hidden === undefined ? 'inherit' : 'pipe', 'inherit'];
    const child = spawn(file, args, { cwd: root, stdio, env: { ...process.env, ...env } });
    if (hidden !== undefined) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        if (!hidden.test(line)) process.stdout.write(`${line}\n`);
      });
    }
    const passOn = (signal) => child.kill(signal);
    for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, passOn);
    child.once('error', reject);
    child.once('close', (code) => {
      for (const signal of ['SIGINT', 'SIGTERM']) process.off(signal, passOn);
      resolve(code ?? 1);
    });
  });

/** The output of turbo before its first task: its version, and a list of all packages. */
const preamble = /^ {3}• /;

const runTurbo = (...args) => {
  const turbo = join(root, 'node_modules/.bin/turbo');
  return run(turbo, ['run', ...args], { TURBO_TELEMETRY_DISABLED: '1' }, preamble);
};

const runJest = (config, files, options, env, most = workers) => {
  const saysWorkers = options.some((option) => /^(-i|--runInBand|-w|--maxWorkers)\b/.test(option));
  const jest = join(root, 'node_modules/jest/bin/jest.js');
  const settings = ['--config', `packages/testing/${config}.json`, ...(saysWorkers ? [] : ['--maxWorkers', most])];
  const paths = files.map(({ path }) => path);
  const nodeOptions = `${process.env.NODE_OPTIONS ?? ''} --experimental-vm-modules`.trim();
  const args = [jest, ...settings, ...options, '--runTestsByPath', ...paths];
  return run(process.execPath, args, { NODE_OPTIONS: nodeOptions, ...env });
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
  return { runnable: files.filter(isRunnable), isMissingFailure: missing.length > 0 && process.env.CI === 'true' };
};

const { tier, patterns, options } = readArguments();
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
const { runnable, isMissingFailure } = splitByPrograms(wanted);
const statuses = [isMissingFailure ? 1 : 0];

if (tier === 'unit') {
  // Turbo stores the figures with the task's other results, so that a cached run still reports them.
  const folder = join(process.cwd(), '.figures');
  await rm(folder, { recursive: true, force: true });
  statuses.push(await runJest('jest-preset', runnable, options, { CRM_FIGURES_DIR: folder }, '1'));
} else {
  await rm(figuresFolder, { recursive: true, force: true });
  const built = await buildQuietly(root, [`--concurrency=${cores}`]);
  if (built !== 0) process.exit(built);
  const isCached = tier === 'test' && isWholeTier && options.length === 0;
  const files = isCached ? runnable.filter(({ isUnit }) => !isUnit) : runnable;
  const env = tier === 'soak' ? { SOAK: '1' } : {};
  const runs = [
    // One package at a time, in parallel with the others.
    ...(isCached ? [runTurbo('test:unit', '--continue', '--output-logs=full', '--concurrency=1')] : []),
    ...(files.length > 0 ? [runJest('jest-database', files, options, env)] : []),
  ];
  statuses.push(...(await Promise.all(runs)));
  if (tier === 'system' && isWholeTier && missingPrograms(['postgresql']).length === 0) {
    console.log('\nThe tests of db and both gateways on the PostgreSQL of Debian:');
    const served = all.filter((file) => isInTier.database(file) && /^(apps|packages\/db)\//.test(file.path));
    statuses.push(await runJest('jest-database', served, [], { CRM_TEST_POSTGRES: 'debian' }));
  }
  if (tier === 'soak' && isWholeTier) {
    statuses.push(await run(process.execPath, ['packages/testing/scripts/run-mutations.mjs']));
  }
  if (isAtRoot) await printFigures(isWholeTier, isCached);
  if (isWholeTier) printNotRun(all, runnable, tier);
}
process.exitCode = Math.max(...statuses);
