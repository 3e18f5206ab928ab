import { type Failure, isFailure } from '@crm/domain';
import { readCitusUrl, readTestStack, until, writeServerUrl } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import { type Database, openDatabase } from '../src/database.js';
import { noteCreate } from '../src/write/notes.js';
import { runWrite } from '../src/write/write.js';
import { newKey, useSmallOrganization } from './support/small-organization.js';

const organization = useSmallOrganization('races-test');
const { create, creation, organizationId, rows, run, update } = organization;

/** Opens one connection, which runs transactions of its own. */
const connect = async (): Promise<Database> => {
  const url = await writeServerUrl(readTestStack().databaseUrl, organizationId());
  return openDatabase({
    url,
    applicationName: 'races-test-other',
    maxConnections: 1,
    lockTimeoutMs: 60_000,
    statementTimeoutMs: 60_000,
  });
};
const countOf = async (table: string): Promise<unknown> =>
  (await rows(`SELECT count(*)::int AS n FROM ${table} WHERE organization_id = $1`))[0]?.['n'];

/**
 * Starts a second call while the transaction of a first one is open, and ends the transaction when the second one waits for it or has ended.
 * @returns what the second call returned, and whether it waited
 */
const whileOpen = async <T>(first: (on: Database) => Promise<unknown>, second: (on: Database) => Promise<T>) => {
  const [one, two, watcher] = [await connect(), await connect(), await connect()];
  await one.queryServer({ text: 'BEGIN' });
  await first(one);
  const [holder] = await one.queryServer<{ pid: number }>({ text: 'SELECT pg_backend_pid() AS pid' });
  let hasEnded = false;
  const running = second(two).finally(() => (hasEnded = true));
  running.catch(() => undefined);
  let hasWaited = false;
  await until(async () => {
    const text = 'SELECT pid FROM pg_stat_activity WHERE $1::int = ANY (pg_blocking_pids(pid))';
    hasWaited ||= (await watcher.queryServer({ text, values: [holder?.pid] })).length > 0;
    return hasWaited || hasEnded;
  }, 5);
  await one.queryServer({ text: 'COMMIT' });
  try {
    return { result: await running, hasWaited };
  } finally {
    await Promise.all([one.close(), two.close(), watcher.close()]);
  }
};

/** Counts the calls of a write on a connection. */
const counting = (on: Database, calls: string[]): Database => ({
  ...on,
  query: (id, statement) => {
    if (statement.text.includes('FROM write(')) calls.push(statement.text);
    return on.query(id, statement);
  },
});

const reasonOf = (work: Promise<unknown>): Promise<Failure['reason'] | null> =>
  work.then(
    () => null,
    (error: unknown) => {
      if (isFailure(error, 'unavailable')) throw error;
      return (error as Failure).reason;
    },
  );

describe('R22: two calls under one Idempotency-Key', () => {
  const once = () =>
    noteCreate(organization.setup(), {
      title: 'Once',
      content: null,
      accountDomains: [],
      contactEmails: ['ann@a.com'],
    });

  test('the second one is refused while the first one runs', async () => {
    const key = newKey();
    const { result } = await whileOpen(
      (on) => run(once(), key, on),
      (on) => reasonOf(run(once(), key, on)),
    );
    expect(result).toEqual({ kind: 'idempotency_in_flight' });
    expect(await countOf('notes')).toBe(1);
  });

  test('the second one repeats the answer if the first one ends just before it claims the key', async () => {
    const key = newKey();
    const gate = `hashtextextended('${organizationId()} gate', 0)`;
    const [late, holder, watcher] = [await connect(), await connect(), await connect()];
    // Of this server only: Citus would send these statements to the others.
    if (readCitusUrl() !== null) await late.queryServer({ text: 'SET citus.enable_ddl_propagation = off' });
    // In this session, the function that claims a key first waits at a gate. So the call has looked for a result and found none.
    await late.queryServer({ text: 'CREATE SCHEMA IF NOT EXISTS gated' });
    await late.queryServer({
      text: `CREATE OR REPLACE FUNCTION gated.pg_try_advisory_xact_lock(p_key bigint) RETURNS boolean LANGUAGE plpgsql AS $$ BEGIN
        PERFORM pg_advisory_xact_lock_shared(${gate}); RETURN pg_catalog.pg_try_advisory_xact_lock(p_key); END $$`,
    });
    await late.queryServer({ text: 'SET search_path = gated, pg_catalog, public' });
    await holder.queryServer({ text: `SELECT pg_advisory_lock(${gate})` });
    const second = runWrite(late, organizationId(), once(), key);
    second.catch(() => undefined);
    const text = `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND NOT granted
      AND ((classid::bigint << 32) | objid::bigint) = ${gate}`;
    await until(async () => (await watcher.queryServer({ text })).length === 1, 5);
    const first = await runWrite(organization.database, organizationId(), once(), key);
    await holder.close();
    const repeated = await second;
    await late.queryServer({ text: 'DROP SCHEMA gated CASCADE' });
    await Promise.all([late.close(), watcher.close()]);
    expect([first.replayed, repeated.replayed]).toEqual([false, true]);
    expect(repeated.result).toEqual(first.result);
    expect(await countOf('notes')).toBe(1);
  });
});

describe('two creates of the same record at once', () => {
  const both = {
    account: { domain: 'same.com' },
    contact: { email: 'a@same.com' },
    opportunity: { name: 'Same' },
  } as const;
  const other = {
    account: { domain: 'other.com' },
    contact: { email: 'b@same.com' },
    opportunity: { name: 'Other' },
  } as const;

  test.each(['account', 'contact', 'opportunity'] as const)(
    '%s: by its key, the second one finds the record of the first one',
    async (objectType) => {
      const { result } = await whileOpen(
        (on) => run<unknown>(creation(objectType, both[objectType]), null, on),
        (on) => run<{ record_status: string }>(creation(objectType, both[objectType]), null, on),
      );
      expect(result.record_status).toBe('matched');
    },
  );

  test.each(['account', 'contact', 'opportunity'] as const)(
    '%s: by its external id, the second one waits and needs no second try',
    async (objectType) => {
      const calls: string[] = [];
      const external_id = 'E1';
      const { result, hasWaited } = await whileOpen(
        (on) => run<unknown>(creation(objectType, { ...both[objectType], external_id }), null, on),
        (on) =>
          run<{ record_status: string }>(
            creation(objectType, { ...other[objectType], external_id }, {}, 'update'),
            null,
            counting(on, calls),
          ),
      );
      expect([result.record_status, hasWaited, calls.length]).toEqual(['updated', true, 1]);
      expect(
        await rows(
          `SELECT external_id FROM ${objectType === 'opportunity' ? 'opportunities' : `${objectType}s`} WHERE organization_id = $1 AND external_id IS NOT NULL`,
        ),
      ).toHaveLength(1);
    },
  );

  test('a note: by its id, the second one finds the note of the first one', async () => {
    const write = () =>
      noteCreate(organization.setup(), {
        id: '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4',
        title: 'T',
        content: null,
        accountDomains: [],
        contactEmails: [],
      });
    const { result } = await whileOpen(
      (on) => run(write(), null, on),
      (on) => run(write(), null, on),
    );
    expect(result.record_status).toBe('matched');
  });
});

test('a repeat that changes nothing waits for no other write, not even one that has the exclusive lock', async () => {
  const id = await create('account', { domain: 'repeated.com' });
  const other = await create('account', { domain: 'renamed.com' });
  const { result, hasWaited } = await whileOpen(
    (on) => run<unknown>(update('account', { id: other }, { name: 'New' }), null, on),
    (on) => run<{ id: string }>(creation('account', { domain: 'repeated.com' }), null, on),
  );
  expect([result.id, hasWaited]).toEqual([id, false]);
});
