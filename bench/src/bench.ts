import { parseArgs } from 'node:util';
import { startBenchServer } from './bench-server.js';
import { type Measure, saveMeasures, toMeasure } from './harness/figures.js';
import { tableOf, writeReport } from './harness/report.js';
import type { MeasureGroup, Run } from './harness/run.js';
import { bulk } from './measures/bulk.js';
import { changeLog } from './measures/change-log.js';
import { citus } from './measures/citus.js';
import { pagesBySize } from './measures/pages-by-size.js';
import { pages } from './measures/pages.js';
import { reads } from './measures/reads.js';
import { searches } from './measures/searches.js';
import { summaries } from './measures/summaries.js';
import { writes } from './measures/writes.js';

const groups: readonly MeasureGroup[] = [
  pages,
  pagesBySize,
  searches,
  summaries,
  writes,
  bulk,
  changeLog,
  reads,
  citus,
];
const known = groups.flatMap(({ ids }) => ids);

/** Measured only by name, because they need servers that the user provides. */
const namedIds = ['S17'];
/** Measured with the data of `Run.sizes`: both sizes, or only the larger one. */
const sizedIds = ['S5', 'S6', 'S7', 'S16', 'S18'];

/** `300k` → 300000 */
const readSize = (text: string): number => {
  const [, digits, unit] = /^(\d+)([km]?)$/.exec(text) ?? [];
  if (digits === undefined) throw new Error(`--size must be a number such as 300k or 10m, not ${text}`);
  return Number(digits) * (unit === 'm' ? 1_000_000 : unit === 'k' ? 1_000 : 1);
};

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean', default: false }, size: { type: 'string' }, against: { type: 'string' } },
});
const asked = positionals.map((id) => id.toUpperCase());
const unknown = asked.find((id) => !known.includes(id));
if (unknown !== undefined) throw new Error(`There is no measure ${unknown}; the measures are ${known.join(', ')}`);

const wants = (id: string): boolean => {
  if (asked.length > 0) return asked.includes(id);
  return options.size === undefined ? !namedIds.includes(id) : sizedIds.includes(id);
};

const log = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

/**
 * Generates the data without waiting for the disk. Then restarts the server with durable settings, as in production.
 */
const prepare = async (sizes: readonly number[]): Promise<Run['server']> => {
  const loading = await startBenchServer({ isDurable: false, log });
  for (const size of sizes) await loading.database(size);
  await loading.stop();
  return startBenchServer({ isDurable: true, log });
};

const size = options.quick ? 10_000 : 300_000;
const sizes = [10_000, readSize(options.size ?? (options.quick ? '300k' : '1m'))] as const;
const wanted = known.filter((id) => wants(id) && !namedIds.includes(id));
const server = await prepare([
  ...(wanted.some((id) => sizedIds.includes(id)) ? sizes : []),
  ...(wanted.some((id) => !sizedIds.includes(id)) ? [size] : []),
]);
const run: Run = {
  server,
  rounds: options.quick ? 3 : 5,
  seconds: options.quick ? 2 : 3,
  size,
  sizes,
  against: options.against,
  isQuick: options.quick,
  wants,
  log,
};
const measures: Measure[] = [];
for (const group of groups.filter(({ ids }) => ids.some(wants))) {
  const found = (await group.measure(run)).map(toMeasure);
  if (!options.quick) await writeReport(await saveMeasures(found));
  measures.push(...found);
}
process.stdout.write(`${tableOf(measures)}\n`);
await server.stop();
