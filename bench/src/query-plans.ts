import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startBenchServer } from './bench-server.js';
import { type Comparison, compareShapes, withSubject } from './query-plans/measure-shape.js';
import { reportOf, worsePlans } from './query-plans/report.js';
import { allShapes } from './query-plans/shapes.js';

const smallSize = 10_000;
const largeSize = 1_000_000;

const reportFile = fileURLToPath(new URL('../../docs/query-plans.md', import.meta.url));

const log = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

/** Part of the names of shapes to measure. Without it, all shapes are measured and the report is written. */
const wanted = process.argv[2];
const server = await startBenchServer({ isDurable: false, log });
const [smallUrl, largeUrl] = [await server.database(smallSize), await server.database(largeSize)];
const comparisons = await withSubject(smallUrl, smallSize, (small) =>
  withSubject(largeUrl, largeSize, async (large) => {
    const found: Comparison[] = [];
    const largeShapes = allShapes(large.organization);
    for (const [index, shape] of allShapes(small.organization).entries()) {
      if (wanted !== undefined && !shape.name.includes(wanted)) continue;
      const comparison = await compareShapes(small, large, shape, largeShapes[index] ?? shape);
      found.push(comparison);
      const costs = [comparison.small, comparison.large, comparison.largeFull];
      const buffers = costs.map((cost) => `${cost.buffers} (${cost.ownBuffers})`).join(' ');
      log(`${[shape.name, shape.sort, shape.place].join(' ')}: ${buffers}`);
    }
    return found;
  }),
);
const report = reportOf(comparisons);
if (wanted === undefined) await writeFile(reportFile, report);
process.stdout.write(report);
for (const worse of worsePlans(comparisons)) {
  log(`The reused plan is worse than one for the values: ${worse}`);
  process.exitCode = 1;
}
await server.stop();
