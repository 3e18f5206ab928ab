// How fast the processor is during a run. A processor second of another machine, or of one beside other work, does not do the same
// work: caches and cores are shared. So the tests are compared with fixed work that runs before, during and after them.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { root } from './repository-files.mjs';

const work = join(root, 'packages/testing/scripts/calibration-work.mjs');
const rounds = 2;
const duringEveryMs = 8_000;

/** The value in the middle. */
export const medianOf = (values) => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/**
 * Runs the work on all cores, and then one unit every eight seconds until it is stopped. Results are processor seconds of one unit each.
 * @param {{ readonly cores: number, readonly nodeOptions: readonly string[] }} options those of the tests
 */
export const startCalibration = async ({ cores, nodeOptions }) => {
  const runUnit = async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [...nodeOptions, work]);
    return Number(stdout);
  };
  const runRounds = async () => {
    const units = [];
    for (let round = 0; round < rounds; round += 1)
      units.push(...(await Promise.all(Array.from({ length: cores }, runUnit))));
    return units;
  };
  const before = await runRounds();
  const during = [];
  const isOver = new AbortController();
  const runDuring = async () => {
    while (!isOver.signal.aborted) {
      await sleep(duringEveryMs, undefined, { signal: isOver.signal }).catch(() => undefined);
      if (!isOver.signal.aborted) during.push(await runUnit());
    }
  };
  const ended = runDuring();
  const stop = async () => {
    isOver.abort();
    await ended;
    return during;
  };
  return { before, stop, measureAfter: runRounds };
};
