import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { loadCatalog, openDatabase } from '@crm/db';
import { startBenchServer } from './bench-server.js';
import { organizationLayout } from './dataset/layout.js';
import { measureShape, type Subject } from './query-plans/measure-shape.js';
import { type Comparison, isCut, reportOf } from './query-plans/report.js';
import type { Shape } from './query-plans/shape.js';
import { allShapes } from './query-plans/shapes.js';

const smallSize = 10_000;
const largeSize = 1_000_000;

const reportFile = fileURLToPath(new URL('../../docs/query-plans.md', import.meta.url));

const log = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

const openSubject = async (url: string, opportunities: number): Promise<Subject> => {
  const database = openDatabase({ url, applicationName: 'bench', maxConnections: 1, statementTimeoutMs: 0 });
  const organization = organizationLayout(1, opportunities);
  return { database, organization, catalog: await loadCatalog(database, organization.id) };
};

/** Some shapes name values that depend on the number of deals: each size has its own. */
const compare = async (small: Subject, large: Subject, shape: Shape, largeShape: Shape): Promise<Comparison> => {
  const smallCost = await measureShape(small, shape);
  const largeFull = await measureShape(large, largeShape);
  const largeCost = isCut(smallCost) ? await measureShape(large, largeShape, smallCost.records) : largeFull;
  return { shape, small: smallCost, large: largeCost, largeFull };
};

/** Measures the shapes whose names contain the first argument; all of them, into the report, without one. */
const main = async (): Promise<void> => {
  const wanted = process.argv[2];
  const server = await startBenchServer({ isDurable: false, log });
  const small = await openSubject(await server.database(smallSize), smallSize);
  const large = await openSubject(await server.database(largeSize), largeSize);
  const comparisons: Comparison[] = [];
  const largeShapes = allShapes(large.organization);
  for (const [index, shape] of allShapes(small.organization).entries()) {
    if (wanted !== undefined && !shape.name.includes(wanted)) continue;
    const comparison = await compare(small, large, shape, largeShapes[index] ?? shape);
    comparisons.push(comparison);
    log(
      `${[shape.name, shape.sort, shape.place].join(' ')}: ${comparison.small.buffers} ${comparison.large.buffers} ${comparison.largeFull.buffers}`,
    );
  }
  const report = reportOf(comparisons);
  if (wanted === undefined) await writeFile(reportFile, report);
  process.stdout.write(report);
  await small.database.close();
  await large.database.close();
  await server.stop();
};

await main();
