import { listPage, openAdministrationDatabase } from '@crm/db';
import { type TestDatabase } from '@crm/testing';
import { createMigratedDatabase } from '@crm/testing/suites';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDataset } from '../src/dataset.js';
import { organizationLayout } from '../src/dataset/layout.js';
import { measureShape, openSubject, placedRequest, type Subject } from '../src/query-plans/measure-shape.js';
import type { Shape } from '../src/query-plans/shape.js';
import { allShapes } from '../src/query-plans/shapes.js';

/** Enough deals that the planner never reads all of them for a page, and few enough to generate in seconds. */
const opportunities = 20_000;
const organization = organizationLayout(1, opportunities);

let testDatabase: TestDatabase;
let subject: Subject;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  await createDataset(testDatabase.url, { opportunities });
  subject = await openSubject(testDatabase.url, opportunities);
  await subject.database.pool.query('SELECT pg_stat_reset()');
}, 240_000);
afterAll(async () => {
  await subject.database.close();
  await testDatabase.drop();
});

const title = ({ objectType, name, sort, place }: Shape): string =>
  [objectType, name, sort === undefined || name.includes(sort) ? '' : `by ${sort}`, place].filter(Boolean).join(' ');

describe('a page', () => {
  test.each(allShapes(organization).map((shape) => [title(shape), shape] as const))(
    'of %s takes the promised statements and buffers',
    async (_, shape) => {
      const { statements, buffers, sequentialScans } = await measureShape(subject, shape);
      expect(statements).toBeLessThanOrEqual(shape.statements);
      if (shape.maxBuffers === undefined) return;
      expect(buffers).toBeLessThanOrEqual(shape.maxBuffers);
      // At this size there are few accounts and contacts, so a sequential scan of a few pages is right.
      expect(sequentialScans).not.toContain('opportunities');
    },
  );
});

test('one of these pages uses each index of opportunities', async () => {
  const { database } = subject;
  // A session publishes its counts at the end of a transaction.
  await database.queryServer({ text: 'SELECT pg_stat_force_next_flush()' });
  // The data uses four slots of each kind, and one of them represents all.
  const rows = await database.queryServer<{ name: string }>({
    text: `SELECT regexp_replace(i.relname, '_[1-8]_', '_N_') AS name
      FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid
     WHERE x.indrelid = 'opportunities'::regclass AND NOT x.indisunique
     GROUP BY 1 HAVING sum(pg_stat_get_numscans(i.oid)) = 0`,
  });
  expect(rows).toEqual([]);
});

test('every statement of a page keeps one plan, whatever its values', async () => {
  const { url } = testDatabase;
  const database = openAdministrationDatabase({
    url,
    applicationName: 'kept-plans-test',
    maxConnections: 1,
    isForReads: true,
  });
  const shapes = allShapes(organization).filter(({ place }) => place === undefined || place === 'first');
  for (const shape of shapes.filter((_, index) => index % 10 === 0)) {
    const request = await placedRequest(subject, shape);
    for (let round = 0; round < 3; round += 1) await listPage(database, request);
  }
  const [made] = await database.queryServer<{ statements: number; plansForValues: number }>({
    text: `SELECT count(*)::int AS statements, sum(custom_plans)::int AS "plansForValues" FROM pg_prepared_statements`,
  });
  await database.close();
  expect(made?.statements).toBeGreaterThan(10);
  expect(made?.plansForValues).toBe(0);
});
