import { readCitusUrl, reportFigure, type TestDatabase, until, writeServerUrl } from '@crm/testing';
import { setupTools } from '@crm/testing/suites';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type pg from 'pg';
import { administration } from '../src/administration.js';
import { type OrganizationSetup, loadSetup } from '../src/organization-setup.js';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { type Database, openDatabase } from '../src/database.js';
import { createReadRouter } from '../src/read-router.js';
import { changeOf } from '@crm/domain';
import { accountCreate, accountUpdate } from '../src/write/accounts.js';
import { contactCreate } from '../src/write/contacts.js';
import { deleteRecord, recordDeletion } from '../src/write/deletions.js';
import { noteCreate } from '../src/write/notes.js';
import { opportunityCreate, opportunityUpdate } from '../src/write/opportunities.js';
import { indexedWrite, runWrites } from '../src/write/write-many.js';
import { runWrite, type Write } from '../src/write/write.js';
import { createMigratedDatabase } from './support/database.js';
import { eventLog } from './support/event-log.js';

let testDatabase: TestDatabase;
let database: AdministrationDatabase;
/** The server that has the locks of writes: with Citus, a worker. */
let writeServer: AdministrationDatabase;
let setup: OrganizationSetup;
/** The number of calls of the function `write` in this test. */
let calls = 0;

const counting = (opened: AdministrationDatabase): AdministrationDatabase => ({
  ...opened,
  query: (organizationId, statement) => {
    if (statement.text.includes('FROM write(')) calls += 1;
    return opened.query(organizationId, statement);
  },
});

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  database = counting(openAdministrationDatabase({ url: testDatabase.url, applicationName: 'retries-test' }));
  const { id } = await administration(database).createOrganization({ name: 'Retries' });
  setup = await loadSetup(database, id);
  const url = await writeServerUrl(testDatabase.url, id);
  writeServer = openAdministrationDatabase({ url, applicationName: 'retries-test' });
});
afterAll(async () => {
  await database.close();
  await writeServer.close();
  await testDatabase.drop();
});

const countOf = async (text: string, { pool } = database): Promise<number> =>
  Number((await pool.query<{ n: string }>(`SELECT count(*) AS n FROM ${text}`)).rows[0]?.n);

const insertAccount = (domain: string): string =>
  `INSERT INTO accounts (organization_id, id, domain, search_text, created_at, updated_at)
   VALUES ('${setup.organizationId}', gen_random_uuid(), '${domain}', '', now(), now());`;

/** Opens one connection to the server that has the locks of an organization. */
const openWriteServer = async (organizationId: string): Promise<Database> => {
  const url = await writeServerUrl(testDatabase.url, organizationId);
  return openDatabase({ url, applicationName: 'retries-test', maxConnections: 1 });
};

/** Resolves when a write waits for a lock. */
const untilWaiting = async (server = writeServer): Promise<void> => {
  const waiting = `pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock' AND query ~ '\\mwrite\\('`;
  await until(async () => (await countOf(waiting, server)) > 0);
};

/**
 * Creates an account as soon as another transaction waits for this one. PostgreSQL checks for a deadlock once, after a second of waiting.
 * The loop runs on the server, so that the deadlock is complete within that second even if this process is slow.
 */
const insertOnceWaitedFor = (client: pg.PoolClient, domain: string) =>
  client.query(`DO $$ BEGIN
    WHILE NOT EXISTS (SELECT FROM pg_locks l WHERE NOT l.granted AND pg_backend_pid() = ANY (pg_blocking_pids(l.pid))) LOOP
      PERFORM pg_sleep(0.01);
    END LOOP;
    ${insertAccount(domain)}
  END $$`);

/** Deadlocks with a write that creates the accounts `a.{name}` and `b.{name}`. The server ends the write to break the deadlock. */
const inDeadlock = async <T>(name: string, write: () => Promise<T>): Promise<T> => {
  const other = await writeServer.pool.connect();
  try {
    await other.query(`BEGIN; SET LOCAL deadlock_timeout = '60s'; ${insertAccount(`b.${name}`)}`);
    const inserted = insertOnceWaitedFor(other, `a.${name}`);
    const running = write();
    running.catch(() => undefined);
    await inserted;
    await other.query('ROLLBACK');
    return await running;
  } finally {
    other.release();
  }
};

describe('R2: a write that the server ended to break a deadlock (40P01)', () => {
  test('is retried once as a whole', async () => {
    calls = 0;
    const writes = ['a.circle.com', 'b.circle.com'].map((domain, index) =>
      indexedWrite(index, accountCreate(changeOf('account', { domain }), 'keep')),
    );
    const bulk = { function: 'create_account', writes, refused: {}, refuseItems: () => ({}) } as const;
    await inDeadlock('circle.com', () => runWrites(database, setup.organizationId, bulk, null));
    reportFigure('R2', 'calls of a write that met one deadlock', calls, 2);
    expect(calls).toBe(2);
    expect(await countOf(`accounts WHERE domain LIKE '_.circle.com'`)).toBe(2);
  });

  test('is retried even if it is a note, which no key makes idempotent', async () => {
    const accountDomains = ['a.note.com', 'b.note.com'];
    const note = noteCreate(setup, { title: 'Call', content: null, accountDomains, contactEmails: [] });
    await inDeadlock('note.com', () => runWrite(database, setup.organizationId, note, null));
    expect(await countOf(`notes WHERE title = 'Call'`)).toBe(1);
  });
});

test('a create that gives names to a contact which another call has just created runs again with the exclusive lock', async () => {
  const email = 'ann@just-created.com';
  const note = noteCreate(setup, { title: 'Ann', content: null, accountDomains: [], contactEmails: [email] });
  const one = () => openWriteServer(setup.organizationId);
  const [other, naming] = [await one(), await one()];
  for (const opened of [other, naming]) await opened.queryServer({ text: 'BEGIN' });
  await runWrite(other, setup.organizationId, note, null);
  const named = contactCreate(setup, changeOf('contact', { email, first_name: 'Ann' }), 'keep');
  const written = runWrite(naming, setup.organizationId, named, null);
  await untilWaiting();
  await other.queryServer({ text: 'COMMIT' });
  await other.close();
  expect((await written).result).toMatchObject({ record_status: 'updated', first_name: 'Ann' });
  // The rollback to the start of the call has freed the shared lock.
  const text = `SELECT mode FROM pg_locks WHERE locktype = 'advisory' AND objsubid = 1 AND pid = pg_backend_pid()`;
  expect(await naming.queryServer({ text })).toEqual([{ mode: 'ExclusiveLock' }]);
  await naming.queryServer({ text: 'COMMIT' });
  await naming.close();
});

test('two changes of different fields of one record are both stored', async () => {
  const write = accountCreate(changeOf('account', { domain: 'both.com' }), 'keep');
  const { id } = (await runWrite(database, setup.organizationId, write, null)).result;
  const other = await openWriteServer(setup.organizationId);
  await other.queryServer({ text: 'BEGIN' });
  const first = accountUpdate({ id }, changeOf('account', { industry: 'Tools' }));
  await runWrite(other, setup.organizationId, first, null);
  const second = accountUpdate({ id }, changeOf('account', { description: 'Second' }));
  const running = runWrite(database, setup.organizationId, second, null);
  await untilWaiting();
  await other.queryServer({ text: 'COMMIT' });
  await other.close();
  await running;
  const stored = `accounts WHERE domain = 'both.com' AND industry = 'Tools' AND description = 'Second' AND version = 3`;
  expect(await countOf(stored)).toBe(1);
});

test('a contact that an update removes from a deal while it is deleted changes the deal once', async () => {
  const tools = setupTools(database);
  const { id: organizationId } = await tools.createOrganization({ name: 'Deals' });
  await tools.createPipeline({ organizationId, name: 'Sales', stages: [{ label: 'New' }] });
  const own = await loadSetup(database, organizationId);
  const [pipeline] = own.pipelines;
  if (pipeline === undefined) throw new Error('there is no pipeline');
  const run = <Result>(write: Write<Result>, on: Database = database) => runWrite(on, organizationId, write, null);
  const deal = changeOf('opportunity', { name: 'Website', contact_email: 'ann@website.com' });
  const { result: created } = await run(opportunityCreate(own, pipeline, deal, 'keep'));
  const { eventsAfter } = eventLog(
    () => database.pool,
    () => organizationId,
  );
  const contact = (await eventsAfter(0)).find(({ object }) => object === 'contact')?.record_id ?? '';
  const other = await openWriteServer(organizationId);
  await other.queryServer({ text: 'BEGIN' });
  await run(opportunityUpdate(own, { id: created.id }, changeOf('opportunity', { contact_email: null })), other);
  const deletion = deleteRecord(database, organizationId, 'contact', { id: contact });
  const url = await writeServerUrl(testDatabase.url, organizationId);
  const server = openAdministrationDatabase({ url, applicationName: 'retries-test', maxConnections: 1 });
  await untilWaiting(server);
  await server.close();
  await other.queryServer({ text: 'COMMIT' });
  await other.close();
  await deletion;
  const types = (await eventsAfter(3)).map(({ type }) => type);
  expect(types).toEqual(['opportunity.updated', 'contact.deleted']);
});

describe('a statement whose rows Citus moved meanwhile (XX000)', () => {
  /** Runs definitions on one server only: Citus does not copy them to the others, and allows them on a shard. */
  const define = ({ pool }: AdministrationDatabase, definitions: string) => {
    const settings = ['citus.enable_ddl_propagation = off', 'citus.enable_manual_changes_to_shards = on'];
    const set = readCitusUrl() === null ? '' : settings.map((one) => `SET LOCAL ${one};`).join(' ');
    return pool.query(`BEGIN; ${set} ${definitions}; COMMIT`);
  };
  /** Fails as Citus does, at the first `times` calls. A sequence counts the calls, because a rollback does not reset it. */
  const failAtFirst = (server: AdministrationDatabase, times: number) =>
    define(
      server,
      `
      DROP SEQUENCE IF EXISTS moved_calls;
      CREATE SEQUENCE moved_calls;
      CREATE OR REPLACE FUNCTION moved(p_organization_id uuid) RETURNS bigint LANGUAGE plpgsql AS $$
      DECLARE
        v_call bigint := nextval('moved_calls');
      BEGIN
        IF v_call <= ${times} THEN
          RAISE EXCEPTION 'could not find valid entry for shard 102008' USING ERRCODE = 'XX000';
        END IF;
        RETURN v_call;
      END $$`,
    );
  /** The table that holds the accounts of the organization. */
  const accountsTable = async (): Promise<string> => {
    if (readCitusUrl() === null) return 'accounts';
    const text = `SELECT shard_name(logicalrelid, shardid) AS name FROM pg_dist_shard
      WHERE shardid = get_shard_id_for_distribution_column('accounts', $1::uuid)`;
    const { rows } = await database.pool.query<{ name: string }>(text, [setup.organizationId]);
    return rows[0]?.name ?? '';
  };
  const read = () =>
    createReadRouter({ primary: database, replica: null }).read(setup.organizationId, null, (source) =>
      source.database.query<{ call: string }>(setup.organizationId, { text: 'SELECT moved($1) AS call', values: [] }),
    );

  test('a read runs once more, and is answered as unavailable if it fails again', async () => {
    await failAtFirst(database, 1);
    expect(await read()).toEqual([{ call: '2' }]);
    await failAtFirst(database, 2);
    await expect(read()).rejects.toMatchObject({ reason: { kind: 'unavailable' } });
  });

  test('a write runs again as a whole', async () => {
    await failAtFirst(writeServer, 1);
    const table = await accountsTable();
    // The trigger fails inside of the write, as a statement on a shard does.
    await define(
      writeServer,
      `
      CREATE FUNCTION fail_moved() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN PERFORM moved(NEW.organization_id); RETURN NEW; END $$;
      CREATE TRIGGER moved BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION fail_moved()`,
    );
    calls = 0;
    const write = accountCreate(changeOf('account', { domain: 'moved.com' }), 'keep');
    const { result } = await runWrite(database, setup.organizationId, write, null);
    await define(writeServer, `DROP TRIGGER moved ON ${table}`);
    expect(result.record_status).toBe('created');
    expect(calls).toBe(2);
    expect(await countOf(`accounts WHERE domain = 'moved.com'`)).toBe(1);
  });
});

test('a refused write does not close its connection', async () => {
  const one = openDatabase({ url: testDatabase.url, applicationName: 'retries-test', maxConnections: 1 });
  const pidOf = async () =>
    (await one.queryServer<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' }))[0]?.pid;
  const before = await pidOf();
  const deletion = recordDeletion('note', { id: '00000000-0000-4000-8000-000000000000' });
  await expect(runWrite(one, setup.organizationId, deletion, null)).rejects.toMatchObject({
    reason: { kind: 'not_found' },
  });
  expect(await pidOf()).toBe(before);
  await one.close();
});
