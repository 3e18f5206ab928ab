/** @not-on-citus the plans are those of one server */
import { changeOf, ErrorCollector } from '@crm/domain';
import type { TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { setupTools } from '@crm/testing/suites';
import type { Queries, TenantStatement } from '../src/database.js';
import { type OrganizationSetup, loadSetup, type Pipeline } from '../src/organization-setup.js';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { listPage } from '../src/page/list-page.js';
import { parsePageRequest } from '../src/page/page-request.js';
import { summarizeStageVisits } from '../src/page/stage-summary.js';
import { accountCreate, accountUpdate } from '../src/write/accounts.js';
import { contactCreate, contactUpdate } from '../src/write/contacts.js';
import { recordDeletion } from '../src/write/deletions.js';
import { recordMerge } from '../src/write/merges.js';
import { noteCreate } from '../src/write/notes.js';
import { opportunityCreate, opportunityUpdate } from '../src/write/opportunities.js';
import { indexedWrite, runWrites } from '../src/write/write-many.js';
import { type IdempotencyRecord, runWrite, type Write, type WriteFunction } from '../src/write/write.js';
import { createMigratedDatabase } from './support/database.js';

let testDatabase: TestDatabase;
let database: AdministrationDatabase;
let setup: OrganizationSetup;
let pipeline: Pipeline;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  // One connection, so that its scan statistics are those of the writes.
  database = openAdministrationDatabase({
    url: testDatabase.url,
    applicationName: 'plans-test',
    maxConnections: 1,
  });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const run = async <Result>(write: Write<Result>, idempotency: IdempotencyRecord | null = null): Promise<Result> =>
  (await runWrite(database, setup.organizationId, write, idempotency)).result;

/**
 * Fills the tables until the planner would rather read a whole table than look up a hundred keys. Many other organizations have one record
 * each. So the statistics say that an organization has three records, and a plan that reads all records of an organization looks cheap.
 */
const fill = async (): Promise<void> => {
  await database.pool.query(`WITH o AS (
      INSERT INTO organizations (id, name) SELECT gen_random_uuid(), 'small' FROM generate_series(1, 2000) RETURNING id),
    a AS (
      INSERT INTO accounts (organization_id, id, domain, search_text, created_at, updated_at)
      SELECT id, gen_random_uuid(), 'small.com', '', now(), now() FROM o RETURNING organization_id, id),
    p AS (
      INSERT INTO pipelines (organization_id, id, name, comparable_name, position) SELECT id, gen_random_uuid(), 'Small', 'small', 1 FROM o RETURNING organization_id, id),
    n AS (
      INSERT INTO notes (organization_id, id, title, search_text, created_at, updated_at)
      SELECT id, gen_random_uuid(), 'Small', 'small', now(), now() FROM o RETURNING organization_id, id),
    d AS (
      INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, normalized_name, record, search_text, created_at, updated_at)
      SELECT organization_id, gen_random_uuid(), id, '', 'Small', 'small', '{}', '', now(), now() FROM p RETURNING id)
    INSERT INTO contacts (organization_id, id, email, account_id, search_text, created_at, updated_at)
    SELECT organization_id, gen_random_uuid(), 'ann@small.com', id, '', now(), now() FROM a`);
  const statements = [
    `INSERT INTO accounts (organization_id, id, domain, search_text, created_at, updated_at)
     SELECT $1, gen_random_uuid(), 'company' || n || '.com', '', now(), now() FROM generate_series(1, 4000) n`,
    `INSERT INTO contacts (organization_id, id, email, account_id, search_text, created_at, updated_at)
     SELECT $1, gen_random_uuid(), 'ann@' || domain, id, '', now(), now() FROM accounts WHERE organization_id = $1`,
    `INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, normalized_name, account_id, contact_id, record, search_text, created_at, updated_at)
     SELECT $1, gen_random_uuid(), '${pipeline.id}', account_id::text, 'Deal', 'deal', account_id, id, '{}', '', now(), now()
       FROM contacts WHERE organization_id = $1`,
    `INSERT INTO notes (organization_id, id, title, search_text, created_at, updated_at)
     SELECT $1, gen_random_uuid(), 'Note', 'note', now(), now() FROM generate_series(1, 4000)`,
  ];
  for (const text of statements) await database.query(setup.organizationId, { text, values: [] });
  await database.pool.query('ANALYZE');
};

/** The sequential scans by table. Uses the connection that writes, because only that session can flush its own statistics. */
const sequentialScans = async (): Promise<Record<string, number>> => {
  await database.queryServer({ text: 'SELECT pg_stat_force_next_flush()::text' });
  await database.queryServer({ text: 'SELECT 1' });
  const rows = await database.queryServer<{ relname: string; seq_scan: string }>({
    text: `SELECT relname, seq_scan FROM pg_stat_user_tables
      WHERE relname IN ('accounts', 'contacts', 'opportunities', 'opportunity_contacts', 'notes', 'note_accounts', 'note_contacts', 'idempotency_keys')`,
  });
  return Object.fromEntries(rows.map((row) => [row.relname, Number(row.seq_scan)]));
};

/** The rows that the session has read so far, by table. Partitions of the change log count as one table. */
const rowsRead = async (): Promise<Record<string, number>> => {
  await database.queryServer({ text: 'SELECT pg_stat_force_next_flush()::text' });
  await database.queryServer({ text: 'SELECT 1' });
  const rows = await database.queryServer<{ name: string; count: string }>({
    text: `SELECT regexp_replace(relname, '^events_.*', 'events') AS name, sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS count
             FROM pg_stat_user_tables WHERE relname ~ '^(accounts|contacts|opportunities|notes|events_.*)$' GROUP BY 1`,
  });
  return Object.fromEntries(rows.map(({ name, count }) => [name, Number(count)]));
};

const deal = (name: string, company: string) =>
  opportunityCreate(
    setup,
    pipeline,
    changeOf('opportunity', {
      name,
      contact_email: `ann@${company}`,
      additional_contacts: [`bob@${company}`, 'cid@company9.com'],
    }),
    'keep',
  );

const lookUps: readonly (readonly [table: string, condition: string, index: string])[] = [
  ['contacts', 'email = $2', 'contacts_organization_id_email_key'],
  ['accounts', 'domain = $2', 'accounts_organization_id_domain_key'],
  ...['accounts', 'contacts', 'opportunities', 'notes'].map(
    (table) => [table, 'id = $2::text::uuid', `${table}_pkey`] as const,
  ),
  ...['accounts', 'contacts', 'opportunities'].map(
    (table) => [table, 'external_id = $2', `${table}_external_id_key`] as const,
  ),
];

test.each(lookUps)('a new database looks up a row of %s with %s by the index %s', async (table, condition, index) => {
  expect((await database.pool.query(`SELECT FROM ${table}`)).rowCount).toBe(0);
  for (const mode of ['force_generic_plan', 'force_custom_plan']) {
    await database.pool.query(
      `SET plan_cache_mode = ${mode};
       PREPARE look_up (uuid, text) AS SELECT * FROM ${table} WHERE organization_id = $1 AND ${condition}`,
    );
    const id = `'00000000-0000-4000-8000-000000000001'`;
    const { rows } = await database.pool.query<Record<'QUERY PLAN', string>>(
      `EXPLAIN (COSTS OFF) EXECUTE look_up (${id}, ${id})`,
    );
    await database.pool.query('DEALLOCATE look_up; RESET plan_cache_mode');
    expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain(`using ${index} on ${table}`);
  }
});

test('no write reads a whole table, or all records of an organization', async () => {
  const { createOrganization, createPipeline } = setupTools(database);
  const { id: organizationId } = await createOrganization({ name: 'Plans' });
  pipeline = await createPipeline({ organizationId, name: 'Sales', stages: [{ label: 'New' }] });
  setup = await loadSetup(database, organizationId);
  await fill();
  const before = await sequentialScans();
  const readBefore = await rowsRead();
  const once = { operation: 'createOpportunity', keyHash: 'plans', requestHash: 'x' };
  for (const name of ['Deal', 'New deal', 'New deal']) await run(deal(name, 'company7.com'));
  const { id: dealId } = await run(deal('Kept', 'new-company.com'), once);
  await run(deal('Kept', 'new-company.com'), once);
  const { id: accountId } = await run(accountCreate(changeOf('account', { domain: 'company7.com' }), 'update'));
  const { id: contactId } = await run(contactCreate(setup, changeOf('contact', { email: 'bob@company7.com' }), 'keep'));
  await run(accountUpdate({ id: accountId }, changeOf('account', { name: 'Seven', domain: 'seven.com' })));
  await run(
    contactUpdate(setup, { id: contactId }, changeOf('contact', { first_name: 'Bob', email: 'bob@seven.com' })),
  );
  const references = { account_domain: 'seven.com', additional_contacts: ['bob@seven.com'] };
  const change = changeOf('opportunity', { name: 'Changed', ...references });
  await run(opportunityUpdate(setup, { id: dealId }, change));
  const note = { title: 'T', content: null, accountDomains: ['seven.com'], contactEmails: ['bob@seven.com'] };
  const { id: noteId } = await run(noteCreate(setup, note));
  // Half of each bulk call finds records.
  const some = Array.from({ length: 20 }, (_, index) => `${index % 2 === 0 ? 'company' : 'added'}${index}.com`);
  const bulk = <Result>(name: WriteFunction, writeOf: (domain: string) => Write<Result>) => {
    const writes = some.map((domain, index) => indexedWrite(index, writeOf(domain)));
    const call = { function: name, writes, refused: {}, refuseItems: () => ({}) };
    return runWrites(database, setup.organizationId, call, null);
  };
  await bulk('create_opportunity', (domain) => deal('Bulk', domain));
  await bulk('create_opportunity', (domain) => deal('Bulk', domain));
  await bulk('create_account', (domain) => accountCreate(changeOf('account', { domain, industry: 'A' }), 'update'));
  await bulk('create_contact', (domain) =>
    contactCreate(setup, changeOf('contact', { email: `bob@${domain}`, first_name: 'Bob' }), 'keep'),
  );
  await bulk('create_note', (domain) => noteCreate(setup, { ...note, accountDomains: [domain, `new-${domain}`] }));
  const { id: otherId } = await run(accountCreate(changeOf('account', { domain: 'company8.com' }), 'keep'));
  await run(recordMerge('account', { id: accountId, from: otherId, isDryRun: false, mergesOpportunities: true }));
  await run(recordDeletion('note', { id: noteId }));
  await run(recordDeletion('contact', { id: contactId }));
  await run(recordDeletion('opportunity', { id: dealId }));
  expect(await sequentialScans()).toEqual(before);
  // The organization has 4,000 records of each kind, and these writes need a few hundred. More rows mean that a write read a whole index.
  const readAfter = await rowsRead();
  const tooMany: string[] = [];
  for (const [name, count] of Object.entries(readAfter)) {
    const read = count - (readBefore[name] ?? 0);
    if (read >= 2_000) tooMany.push(`${name} ${read}`);
  }
  expect(tooMany).toEqual([]);
});

/** Stays and closed deals spread over 4,000 days, so that a month has few of them. */
const fillStays = async (organizationId: string, { id: pipelineId, stages }: Pipeline): Promise<void> => {
  const statements = [
    `INSERT INTO opportunities (organization_id, id, pipeline_id, account_key, name, normalized_name, stage_id, stage_entered_at, closed_at, record, search_text, created_at, updated_at)
     SELECT $1, gen_random_uuid(), '${pipelineId}', n::text, 'Deal', 'deal', (ARRAY['${stages.map(({ id }) => id).join("','")}'])[1 + n % 2]::uuid,
            '2020-01-01'::timestamptz + n * interval '1 day', CASE WHEN n % 2 = 1 THEN '2020-01-01'::timestamptz + n * interval '1 day' END,
            '{}', '', now(), now() FROM generate_series(1, 4000) n`,
    `INSERT INTO stage_visits (organization_id, opportunity_id, place, stage_id, entered_at, left_at, next_stage_id)
     SELECT $1, o.id, 1, '${stages[0]?.id}', o.stage_entered_at - interval '1 day', o.stage_entered_at, o.stage_id
       FROM opportunities o WHERE o.organization_id = $1`,
  ];
  for (const text of statements) await database.query(organizationId, { text, values: [] });
  await database.pool.query('VACUUM ANALYZE opportunities, stage_visits');
};

/** The plan of the only statement that `work` sends. */
const planOf = async (organizationId: string, work: (captured: Queries) => Promise<unknown>): Promise<string> => {
  const statements: TenantStatement[] = [];
  const query: Queries['query'] = async (_organizationId, statement) => {
    statements.push(statement);
    return [];
  };
  await work({ query });
  expect(statements).toHaveLength(1);
  const [{ text, values } = { text: '', values: [] }] = statements;
  const { rows } = await database.pool.query<Record<'QUERY PLAN', string>>(`EXPLAIN (COSTS OFF) ${text}`, [
    organizationId,
    ...values,
  ]);
  return rows.map((row) => row['QUERY PLAN']).join('\n');
};

test('the stays of a month and the deals that moved or closed in it are found by their indexes', async () => {
  const { createOrganization, createPipeline } = setupTools(database);
  const { id: organizationId } = await createOrganization({ name: 'Stays' });
  const stages = [{ label: 'New' }, { label: 'Won', outcome: 'won' as const }];
  const found = await createPipeline({ organizationId, name: 'Sales', stages });
  await fillStays(organizationId, found);
  const [from, to] = [Date.parse('2026-03-01'), Date.parse('2026-04-01')];
  const stageIds = found.stages.map(({ id }) => id);
  const summary = await planOf(organizationId, (captured) =>
    summarizeStageVisits(captured, { organizationId, pipelineId: found.id, stageIds, from, to }),
  );
  expect(summary).not.toContain('Seq Scan');
  expect(summary.match(/Index Only Scan using stage_visits_stage_id_idx/g)).toHaveLength(2);
  expect(summary.match(/Index Cond: .*entered_at >= .*entered_at < /g)?.length).toBeGreaterThanOrEqual(3);
  const loaded = await loadSetup(database, organizationId);
  for (const field of ['stage_entered_at', 'closed_at']) {
    const errors = new ErrorCollector();
    const input = {
      ...({ objectType: 'opportunity', pipelineId: found.id, defaultSort: 'created_at', stageId: undefined } as const),
      ...{ sort: field, readWords: () => [], readLimit: () => 50 },
      filters: [
        { field: 'outcome', operator: 'eq', value: 'won' },
        { field, operator: 'between', value: ['2026-03-01', '2026-03-31'] },
      ],
    };
    const { request } = parsePageRequest(loaded, input, errors);
    errors.throwIfAny();
    const plan = await planOf(organizationId, async (captured) => listPage({ ...database, ...captured }, request));
    // The page reads the matches of the rarer condition, which it knows when it has counted both.
    // Whether the planner reads an index in its order or by a bitmap depends on its sample of the table.
    const scan = (index: string, condition: string): string =>
      `Index (Only )?Scan (using|on) ${index}\\b.*\\n *Index Cond: .*${condition}`;
    expect(plan).toMatch(new RegExp(scan('opportunities_\\w*stage_id\\w*', 'stage_id = ')));
    const range = scan(`opportunities_${field}_idx`, `${field} >= .*${field} <= `);
    expect(plan).toMatch(new RegExp(`${range}[^]*${range}`));
  }
});
