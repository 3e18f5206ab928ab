import { type AdministrationDatabase, listPage, loadSetup, migrate, openAdministrationDatabase } from '@crm/db';
import { createTestDatabase, type TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createDataset } from '../src/dataset.js';
import { organizationLayout } from '../src/dataset/layout.js';
import { measureShape, placedRequest, type Subject } from '../src/query-plans/measure-shape.js';
import type { Shape } from '../src/query-plans/shape.js';
import { allShapes } from '../src/query-plans/shapes.js';

/** Enough deals that the planner never reads all of them for a page, and few enough to generate in seconds. */
const opportunities = 20_000;
const organization = organizationLayout(1, opportunities);

let testDatabase: TestDatabase;
let subject: Subject;

beforeAll(async () => {
  testDatabase = await createTestDatabase(async (url) => {
    await migrate(url);
  }, 'migrated');
  const database = openAdministrationDatabase({
    ...{ url: testDatabase.url, applicationName: 'query-plans-test' },
    ...{ maxConnections: 1, statementTimeoutMs: 0 },
  });
  await createDataset(database.pool, { opportunities });
  subject = { database, organization, setup: await loadSetup(database, organization.id) };
  await database.pool.query('SELECT pg_stat_reset()');
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

describe('a prepared statement', () => {
  const places = ['first', 'middle'] as const;

  /** A limit that is a parameter, outside of a constant limit. */
  const keptLimit = /LIMIT \d+\) l LIMIT \$\d+/g;
  const sorts = [
    ...['created_at:desc', 'updated_at:desc', 'amount:asc', 'stage_name:desc', 'pipeline_name:asc', 'owner_email:asc'],
  ];

  test.each(sorts)('keeps its plan, by %s', async (sort) => {
    for (const place of places)
      for (const limit of [10, 50, 100, 200, 500]) {
        const shape = { name: sort, objectType: 'opportunity', sort, place, statements: 1 } as const;
        const request = await placedRequest(subject, shape, limit);
        const { url } = testDatabase;
        const database = openAdministrationDatabase({ url, applicationName: 'kept-plans-test', maxConnections: 1 });
        const texts = new Set<string>();
        const query: AdministrationDatabase['query'] = (organizationId, statement) => {
          texts.add(statement.text);
          return database.query(organizationId, statement);
        };
        for (let round = 0; round < 12; round += 1) await listPage({ ...database, query }, request);
        // Merged parts would be replanned only with larger data, so this checks the constant limit in the text.
        for (const text of texts) expect(text.replaceAll(keptLimit, '')).not.toMatch(/LIMIT \$/);
        const rows = await database.queryServer<{ kept: number; made: number }>({
          text: 'SELECT generic_plans::int AS kept, custom_plans::int AS made FROM pg_prepared_statements',
        });
        await database.close();
        // PostgreSQL makes five custom plans before it compares them with a generic plan.
        expect({ sort, place, limit, rows }).toEqual({ sort, place, limit, rows: [{ kept: 7, made: 5 }] });
      }
  });
});
