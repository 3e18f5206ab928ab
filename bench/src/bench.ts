import { startBenchServer } from './bench-server.js';
import { readArguments } from './harness/arguments.js';
import { keepMeasures, type Measure, toMeasure } from './harness/results.js';
import { writeReport } from './harness/report.js';
import type { MeasureGroup, Run } from './harness/run.js';
import { tableOf } from './harness/table.js';
import { changeLog } from './measures/change-log.js';
import { citus } from './measures/citus.js';
import { eventPages } from './measures/event-pages.js';
import { filtersBySize } from './measures/filters-by-size.js';
import { barePages } from './measures/bare-pages.js';
import { reads } from './measures/reads.js';
import { readsBySize } from './measures/reads-by-size.js';
import { searches } from './measures/searches.js';
import { summaries } from './measures/summaries.js';
import { webhooks } from './measures/webhooks.js';
import { writes } from './measures/writes.js';

const groups: readonly MeasureGroup[] = [
  barePages,
  eventPages,
  readsBySize,
  filtersBySize,
  searches,
  summaries,
  writes,
  changeLog,
  webhooks,
  reads,
  citus,
];

/** Measured only by name, because they need servers that the user provides. */
const namedIds = new Set(['S17']);
/** Measured with the data of `Run.sizes`: both sizes, or only the larger one. */
const sizedIds = new Set(['S5', 'S6', 'S7', 'S16', 'S18']);

const log = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

const asked = readArguments(
  process.argv.slice(2),
  groups.flatMap(({ ids }) => ids),
);

const wants = (id: string): boolean => {
  if (asked.ids.length > 0) return asked.ids.includes(id);
  return asked.isSizeGiven ? sizedIds.has(id) : !namedIds.has(id);
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

const main = async (): Promise<void> => {
  const size = asked.isQuick ? 10_000 : 300_000;
  const wanted = groups.flatMap(({ ids }) => ids).filter(wants);
  const server = await prepare([
    ...(wanted.some((id) => sizedIds.has(id)) ? [10_000, asked.largest] : []),
    ...(wanted.some((id) => !sizedIds.has(id) && !namedIds.has(id)) ? [size] : []),
  ]);
  const run: Run = {
    server,
    rounds: asked.isQuick ? 3 : 5,
    seconds: asked.isQuick ? 2 : 3,
    size,
    sizes: [10_000, asked.largest],
    against: asked.against,
    isQuick: asked.isQuick,
    wants,
    log,
  };
  const measures: Measure[] = [];
  for (const group of groups) {
    if (!group.ids.some(wants)) continue;
    const found = (await group.measure(run)).map(toMeasure);
    if (!asked.isQuick) await writeReport(await keepMeasures(found));
    measures.push(...found);
  }
  process.stdout.write(`${tableOf(measures)}\n`);
  await server.stop();
};

await main();
