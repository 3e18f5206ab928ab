import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { startBenchServer } from './bench-server.js';
import { type Comparison, reportOf, worsePlans } from './query-plans/report.js';
import { allShapes } from './query-plans/shapes.js';
import { compareShapes, openSubject } from './subject.js';

const smallSize = 10_000;
const largeSize = 1_000_000;

const reportFile = fileURLToPath(new URL('../../docs/query-plans.md', import.meta.url));

const log = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

/**
 * Measures the shapes whose names contain the first argument. Without an argument, measures all shapes and writes the
 * report.
 */
const main = async (): Promise<void> => {
  const wanted = process.argv[2];
  const server = await startBenchServer({ isDurable: false, log });
  const small = await openSubject(await server.database(smallSize), smallSize);
  const large = await openSubject(await server.database(largeSize), largeSize);
  const comparisons: Comparison[] = [];
  const largeShapes = allShapes(large.organization);
  for (const [index, shape] of allShapes(small.organization).entries()) {
    if (wanted !== undefined && !shape.name.includes(wanted)) continue;
    const comparison = await compareShapes(small, large, shape, largeShapes[index] ?? shape);
    comparisons.push(comparison);
    const costs = [comparison.small, comparison.large, comparison.largeFull];
    const buffers = costs.map((cost) => `${cost.buffers} (${cost.ownBuffers})`).join(' ');
    log(`${[shape.name, shape.sort, shape.place].join(' ')}: ${buffers}`);
  }
  const report = reportOf(comparisons);
  if (wanted === undefined) await writeFile(reportFile, report);
  process.stdout.write(report);
  for (const worse of worsePlans(comparisons)) {
    log(`The reused plan is worse than one for the values: ${worse}`);
    process.exitCode = 1;
  }
  await small.database.close();
  await large.database.close();
  await server.stop();
};

await main();
