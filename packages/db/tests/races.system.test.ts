import { type Failure, isFailure } from '@crm/domain';
import { readCitusUrl, until } from '@crm/testing';
import { describe, expect, test } from '@jest/globals';
import type { Database } from '../src/database.js';
import * as changes from '../src/setup/setup-change.js';
import { noteCreate } from '../src/write/notes.js';
import { runWrite, type Write } from '../src/write/write.js';
import { newKey, useSmallOrganization } from './support/small-organization.js';
import { twoConnections } from './support/two-connections.js';

const organization = useSmallOrganization('races-test');
const { create, creation, organizationId, pipeline, rows, run, update } = organization;
const { connect, whileOpen } = twoConnections(organization);

const countOf = async (table: string): Promise<unknown> =>
  (await rows(`SELECT count(*)::int AS n FROM ${table} WHERE organization_id = $1`))[0]?.['n'];

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

  const beside = {
    account: { domain: 'beside.com' },
    contact: { email: 'c@same.com' },
    opportunity: { name: 'Beside' },
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

  const bulk = (writes: readonly Write<unknown>[]): Write<unknown> => ({
    function: 'write_many',
    input: {
      function: writes[0]?.function ?? '',
      items: writes.map(({ input }, index) => ({ index, input })),
      answers: {},
    },
  });

  test.each(
    (['account', 'contact', 'opportunity'] as const).flatMap((objectType) =>
      (['bulk then single', 'single then bulk', 'bulk then bulk'] as const).flatMap((order) =>
        (['external id', 'key'] as const).map((by) => [objectType, order, by] as const),
      ),
    ),
  )('%s: %s creates of one record by its %s, each needs no second try', async (objectType, order, by) => {
    const table = objectType === 'opportunity' ? 'opportunities' : `${objectType}s`;
    const write = (values: object, more: object = {}) => creation(objectType, { ...values, ...more }, {}, 'update');
    const named = write(by === 'key' ? both[objectType] : other[objectType], { external_id: 'E1' });
    const plain = write(both[objectType], by === 'key' ? {} : { external_id: 'E1' });
    const [first, second] = order === 'single then bulk' ? [named, plain] : [plain, named];
    const many = (item: Write<unknown>) => bulk([write({ ...both[objectType], ...beside[objectType] }), item]);
    const calls: string[] = [];
    const { result, hasWaited } = await whileOpen(
      (on) => run(order.startsWith('bulk') ? many(first) : first, null, on),
      (on) => run(order.endsWith('bulk') ? many(second) : second, null, counting(on, calls)),
    );
    expect([hasWaited, calls.length]).toEqual([true, 1]);
    const own = order.endsWith('bulk') ? (result as Readonly<Record<string, unknown>>)['1'] : result;
    // Only a create that sends something new changes the record.
    expect(own).toMatchObject({ record_status: second === plain && by === 'key' ? 'matched' : 'updated' });
    expect(await rows(`SELECT external_id FROM ${table} WHERE organization_id = $1 ORDER BY external_id`)).toEqual([
      { external_id: 'E1' },
      { external_id: null },
    ]);
  });

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

describe('two changes of the setup of one organization at once: the second one waits, and sees what the first one stored', () => {
  const origin = JSON.stringify({ actor: 'tester', os_user: null, command_id: newKey().keyHash });
  /** @returns why the change was refused, or null */
  const change = async (
    on: Database,
    list: readonly changes.SetupChange[],
    most: object = {},
  ): Promise<string | null> => {
    const text = 'SELECT refusal FROM change_setup($1, $2, $3, $4)';
    const values = [JSON.stringify(list), origin, JSON.stringify(most)];
    const [row] = await on.query<{ refusal: { kind: string } | null }>(organizationId(), { text, values });
    return row?.refusal?.kind ?? null;
  };
  const stage = (label: string, more: object = {}) =>
    changes.createStageChange(crypto.randomUUID(), pipeline().id, { label, ...more }, undefined);
  const member = (email: string) => changes.addMemberChange(crypto.randomUUID(), { email, name: email });
  const stageId = (index: number): string => pipeline().stages[index]?.id ?? '';
  const defaults = `SELECT label FROM stages WHERE organization_id = $1 AND pipeline_id = $2 AND is_default`;

  test.each<[string, () => changes.SetupChange, () => changes.SetupChange, object, string | null]>([
    [
      'members up to their limit',
      () => member('c@x.example'),
      () => member('d@x.example'),
      { members: 3 },
      'setup_too_large',
    ],
    ['one email', () => member('same@x.example'), () => member('same@x.example'), {}, 'key_taken'],
    ['stages up to their limit', () => stage('Third'), () => stage('Fourth'), { stages: 3 }, 'setup_too_large'],
    ['one label', () => stage('Third'), () => stage('Third'), {}, 'key_taken'],
    [
      'the last two stages',
      () => changes.deleteStageChange(stageId(0), pipeline().id, 'New'),
      () => changes.deleteStageChange(stageId(1), pipeline().id, 'Won'),
      {},
      'last_stage',
    ],
  ])('%s', async (_about, first, second, most, refusal) => {
    const { result, hasWaited } = await whileOpen(
      async (on) => expect(await change(on, [first()], most)).toBeNull(),
      (on) => change(on, [second()], most),
    );
    expect([hasWaited, result]).toEqual([true, refusal]);
  });

  test('two new default stages leave one default, at two places', async () => {
    const { result } = await whileOpen(
      (on) => change(on, [stage('Third', { isDefault: true })]),
      (on) => change(on, [stage('Fourth', { isDefault: true })]),
    );
    expect(result).toBeNull();
    expect(await rows(defaults, pipeline().id)).toEqual([{ label: 'Fourth' }]);
    const places = 'SELECT position FROM stages WHERE organization_id = $1 AND pipeline_id = $2 ORDER BY 1';
    expect((await rows(places, pipeline().id)).map(({ position }) => position)).toEqual([1, 2, 3, 4]);
  });

  test('one new option each of a field that both read before: the second one is refused and tries again', async () => {
    const field = { objectType: 'account', slug: 'tier', attributeType: 'select', isHidden: false } as const;
    const option = (value: string) => ({ label: value, value, color: 'blue' });
    await organization.defineFields([{ ...field, metadata: { options: [option('a')] } }]);
    const found = organization.setup().fields.find(({ slug }) => slug === 'tier');
    const { metadata = null, id = '' } = found ?? {};
    const adding = (value: string) =>
      changes.updateFieldChange(
        { ...field, id },
        { metadata: { options: [option('a'), option(value)] } },
        { foundMetadata: metadata },
      );
    const { result, hasWaited } = await whileOpen(
      async (on) => expect(await change(on, [adding('b')])).toBeNull(),
      (on) => change(on, [adding('c')]),
    );
    expect([hasWaited, result]).toEqual([true, 'setup_changed']);
  });
});
