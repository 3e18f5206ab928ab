// The processor time of a run: of its dearest test files, and of all its processes against their budget.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { medianOf, startCalibration } from './calibration.mjs';
import { figuresFolder } from './figures.mjs';
import { processorSeconds } from './processor-seconds.cjs';

/**
 * The most processor time that the suites of `npm test` may take, in units of the work in calibration-work.mjs. Without the build, which
 * is usually cached. It only goes down.
 */
const budgetInUnits = 55;

/** Prints the files whose tests, with the processes that they started, used most processor time. */
const printDearestFiles = (count = 10) => {
  let lines;
  try {
    lines = readFileSync(join(figuresFolder, 'processor-time.jsonl'), 'utf8').trim().split('\n');
  } catch {
    return;
  }
  const files = lines.map((line) => JSON.parse(line)).sort((a, b) => b.seconds - a.seconds);
  const sum = files.reduce((total, { seconds }) => total + seconds, 0);
  console.log(
    `\nProcessor seconds of the ${files.length} test files without shared servers: ${sum.toFixed(1)}. The dearest:`,
  );
  for (const { path, seconds } of files.slice(0, count)) console.log(`  ${seconds.toFixed(1).padStart(5)}  ${path}`);
};

const sumOf = (values) => values.reduce((sum, value) => sum + value, 0);

/**
 * Starts to count the processor time of this process and its children.
 * @param {Parameters<typeof startCalibration>[0] | null} options how the tests run, or null if they have no budget
 * @returns a function that prints the processor time, and returns 1 in CI if it is above the budget
 */
export const startProcessorTime = async (options) => {
  const hasBudget = options !== null && processorSeconds() !== null;
  const calibration = hasBudget ? await startCalibration(options) : null;
  const secondsBefore = processorSeconds();
  return async () => {
    printDearestFiles();
    if (secondsBefore === null) return 0;
    const during = (await calibration?.stop()) ?? [];
    const seconds = processorSeconds() - secondsBefore - sumOf(during);
    console.log(`\nProcessor seconds of all processes of this run, without the build: ${seconds.toFixed(1)}`);
    if (calibration === null) return 0;
    const samples = { before: calibration.before, during, after: await calibration.measureAfter() };
    const unit = medianOf(Object.values(samples).flat());
    const shown = Object.entries(samples).map(
      ([when, units]) => `${when} ${units.map((one) => one.toFixed(2)).join(' ')}`,
    );
    console.log(`Processor seconds of one unit of fixed work: ${unit.toFixed(2)}, the median of ${shown.join(', ')}`);
    const units = seconds / unit;
    console.log(`The tests took ${units.toFixed(1)} units. The budget is ${budgetInUnits}.`);
    return units > budgetInUnits && process.env.CI === 'true' ? 1 : 0;
  };
};
