/** @needs postgresql */
import { changeOf } from '@crm/domain';
import { type DebianPostgres, openDebianPostgres } from '@crm/testing';
import { setupTools } from '@crm/testing/suites';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { migrate } from '../src/migrate/migrate.js';
import { loadSetup } from '../src/organization-setup.js';
import { listPage, parsePage } from '../src/page/list-page.js';
import { accountCreate, accountUpdate } from '../src/write/accounts.js';
import { contactCreate } from '../src/write/contacts.js';
import { opportunityCreate } from '../src/write/opportunities.js';
import { indexedWrite, runWrites } from '../src/write/write-many.js';
import { runWrite, type Write } from '../src/write/write.js';
import { queryOnce } from './support/database.js';
import { exampleRequest } from './support/example-request.js';

let postgres: DebianPostgres;
let url: string;
let database: AdministrationDatabase;

beforeAll(async () => {
  postgres = await openDebianPostgres();
  await postgres.createCluster('compiling');
  // This server compiles every statement if it may, once it has its tables: compiling the migrations takes minutes.
  const costs = { jit_above_cost: '0', jit_inline_above_cost: '0', jit_optimize_above_cost: '0' };
  const preloaded = { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track': 'all' };
  const server = await postgres.serverOn('compiling', { jit: 'on', ...costs, ...preloaded });
  await server.start();
  ({ url } = server);
  await queryOnce(url, 'ALTER DATABASE postgres SET jit = off');
  await migrate(url);
  await queryOnce(url, 'ALTER DATABASE postgres RESET jit');
  await queryOnce(url, 'CREATE EXTENSION pg_stat_statements');
  database = openAdministrationDatabase({ url, applicationName: 'jit-test' });
}, 120_000);
afterAll(async () => {
  await database.close();
  await postgres.remove();
});

/** The statements that were compiled since the last call of this function. */
const compiled = async (): Promise<readonly string[]> => {
  const rows = await database.queryServer<{ query: string }>({
    text: `SELECT s.query FROM pg_stat_statements s WHERE s.jit_functions > 0 AND s.query NOT LIKE '%pg_stat_statements%'`,
  });
  await database.queryServer({ text: 'SELECT pg_stat_statements_reset() IS NULL AS done' });
  return rows.map(({ query }) => query);
};

test('no statement of a gateway is compiled, on a server that compiles all statements of others', async () => {
  await queryOnce(url, 'SELECT sum(n) FROM generate_series(1, 10) n');
  expect(await compiled()).toContain('SELECT sum(n) FROM generate_series($1, $2) n');
  const { createOrganization, createPipeline } = setupTools(database);
  const { id: organizationId } = await createOrganization({ name: 'Compiled' });
  const pipeline = await createPipeline({ organizationId, name: 'Sales', stages: [{ label: 'New' }] });
  const setup = await loadSetup(database, organizationId);
  const deal = (name: string) => {
    const contacts = { contact_email: `ann@${name}.com`, additional_contacts: [`bob@${name}.com`] };
    return opportunityCreate(setup, pipeline, changeOf('opportunity', { name, ...contacts }), 'keep');
  };
  const run = async <Result>(write: Write<Result>) => (await runWrite(database, organizationId, write, null)).result;
  await compiled();
  await run(deal('single'));
  const writes = Array.from({ length: 20 }, (_, index) => indexedWrite(index, deal(`bulk${index}`)));
  const bulk = { function: 'create_opportunity', writes, refused: {}, refuseItems: () => ({}) } as const;
  await runWrites(database, organizationId, bulk, null);
  const { id } = await run(accountCreate(changeOf('account', { domain: 'single.com', industry: 'A' }), 'update'));
  await run(accountUpdate({ id }, changeOf('account', { name: 'Renamed' })));
  await run(contactCreate(setup, changeOf('contact', { email: 'ann@single.com', first_name: 'Ann' }), 'keep'));
  const page = await listPage(database, { ...exampleRequest({}), setup });
  expect(parsePage(page)).toHaveLength(21);
  expect(await compiled()).toEqual([]);
});
