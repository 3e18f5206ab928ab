import { loadSetup, openAdministrationDatabase } from '@crm/db';
import { organizationLayout } from './dataset/layout.js';
import { measureShape, type Subject } from './query-plans/measure-shape.js';
import { type Comparison, isCut } from './query-plans/report.js';
import type { Shape } from './query-plans/shape.js';

/** Opens a database with the given number of deals to read pages from, with one connection and without a time limit. */
export const openSubject = async (url: string, opportunities: number): Promise<Subject> => {
  const database = openAdministrationDatabase({
    url,
    applicationName: 'bench',
    maxConnections: 1,
    statementTimeoutMs: 0,
  });
  const organization = organizationLayout(1, opportunities);
  return { database, organization, setup: await loadSetup(database, organization.id) };
};

/**
 * Measures a shape in two data sizes. Each size has its own list of shapes, because some values in shapes depend on the
 * number of deals.
 */
export const compareShapes = async (
  small: Subject,
  large: Subject,
  shape: Shape,
  largeShape: Shape,
): Promise<Comparison> => {
  const smallCost = await measureShape(small, shape);
  const largeFull = await measureShape(large, largeShape);
  const largeCost = isCut(smallCost) ? await measureShape(large, largeShape, smallCost.records) : largeFull;
  return { shape, small: smallCost, large: largeCost, largeFull };
};
