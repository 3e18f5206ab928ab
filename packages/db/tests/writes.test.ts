import { randomUUID } from 'node:crypto';
import { changeOf, type CustomValue } from '@crm/domain';
import { readTestStack, until, writeServerUrl } from '@crm/testing';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setupTools } from '@crm/testing/suites';
import { rebuildRecords } from '../src/administration/rebuild-records.js';
import { type OrganizationSetup, loadSetup, type Pipeline } from '../src/organization-setup.js';
import { openAdministrationDatabase } from '../src/administration-database.js';
import { openDatabase } from '../src/database.js';
import { accountCreate, accountUpdate } from '../src/write/accounts.js';
import { contactCreate, contactUpdate } from '../src/write/contacts.js';
import { noteCreate } from '../src/write/notes.js';
import { opportunityCreate, opportunityUpdate } from '../src/write/opportunities.js';
import { createRides } from '../src/write/rides.js';
import { runWrite, type Write } from '../src/write/write.js';
import { queryOnce } from './support/database.js';

const { databaseUrl: url } = readTestStack();
const applicationName = 'writes-test';
const database = openAdministrationDatabase({ url, applicationName, maxConnections: 1 });
let setup: OrganizationSetup;
let pipeline: Pipeline;

afterAll(() => database.close());
beforeEach(async () => {
  const { createOrganization, createPipeline, defineField } = setupTools(database);
  const { id: organizationId } = await createOrganization({ name: 'Writes' });
  await createPipeline({ organizationId, name: 'Sales', stages: [{ label: 'New "1"' }, { label: 'Won' }] });
  for (const [slug, isHidden] of [
    ['seats', false],
    ['secret', true],
  ] as const) {
    const field = { objectType: 'opportunity', name: slug, attributeType: 'number', metadata: null } as const;
    await defineField({ organizationId, ...field, slug, isHidden, pipelineIds: null });
  }
  setup = await loadSetup(database, organizationId);
  const [first] = setup.pipelines;
  if (first === undefined) throw new Error('there is no pipeline');
  pipeline = first;
});

/** Resolves when a statement of this test waits for a lock. */
const untilSomethingWaits = async (writeUrl: string): Promise<void> => {
  const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  await until(async () => (await queryOnce(writeUrl, text)).length > 0, 5);
};

const run = async <Result>(write: Write<Result>): Promise<Result> =>
  (await runWrite(database, setup.organizationId, write, null)).result;

const account = (domain: string, name?: string) => accountCreate(changeOf('account', { domain, name }), 'keep');
const contact = (address: string, firstName?: string, lastName?: string) =>
  contactCreate(setup, changeOf('contact', { email: address, first_name: firstName, last_name: lastName }), 'keep');
const note = (...emails: string[]) =>
  noteCreate(setup, { title: 'T', content: null, accountDomains: ['acme.com'], contactEmails: emails });
const deal = (more: object = {}, custom: Readonly<Record<string, CustomValue>> = {}) => {
  const { bySlug: definitions } = setup.fieldIndex('opportunity', pipeline.id);
  const contacts = { contact_email: 'ann@acme.com', additional_contacts: ['bob@acme.com', 'cid@acme.com'] };
  const given = { name: 'Deal \\ "quoted" é', account_domain: 'acme.com', ...contacts, ...more };
  const values = new Map(Object.entries(custom));
  return opportunityCreate(setup, pipeline, changeOf('opportunity', given, { definitions, values }), 'keep');
};

test('R4: a create with everything that belongs to it is one statement, so one transaction', async () => {
  const texts: string[] = [];
  const query: typeof database.query = (organizationId, statement) => {
    texts.push(statement.text);
    return database.query(organizationId, statement);
  };
  await runWrite({ ...database, query }, setup.organizationId, deal(), null);
  expect(texts).toHaveLength(1);
});

test('a create that runs while a field is hidden stores a record without the field', async () => {
  const writeUrl = await writeServerUrl(url, setup.organizationId);
  const writer = openDatabase({ url: writeUrl, applicationName, maxConnections: 1 });
  await writer.queryServer({ text: 'BEGIN' });
  await runWrite(writer, setup.organizationId, deal({}, { seats: 12 }), null);
  const { organizationId } = setup;
  const change = { organizationId, objectType: 'opportunity', slug: 'seats', isHidden: true } as const;
  const hiding = setupTools(database).updateField(change);
  await untilSomethingWaits(writeUrl);
  await writer.queryServer({ text: 'COMMIT' });
  await hiding;
  await rebuildRecords(database, setup.organizationId);
  await runWrite(writer, setup.organizationId, deal({ name: 'Later' }, { seats: 12 }), null);
  await writer.close();
  const text = 'SELECT record FROM opportunities WHERE organization_id = $1';
  const records = await database.query<{ record: string }>(organizationId, { text, values: [] });
  expect(records.map(({ record }) => JSON.parse(record) as unknown)).toMatchObject(
    Array(2).fill({ custom_fields: {} }),
  );
  expect(JSON.stringify(records)).not.toContain('seats');
});

describe('creates that arrive together', () => {
  const origins = Array.from({ length: 30 }, (_, n) => ({ requestId: `request-${n}`, apiKeyId: randomUUID() }));
  /** Runs creates at once. @returns the outcome of each, and how many calls of the database they took */
  const together = async (creates: readonly Write<unknown>[], maxPerCall = 100, key: string | null = null) => {
    let calls = 0;
    const query: typeof database.query = (organizationId, statement) => {
      if (statement.text.includes('FROM write(')) calls += 1;
      return database.query(organizationId, statement);
    };
    const runCreate = createRides({ ...database, query }, maxPerCall);
    const once = (n: number) =>
      key === null ? null : { operation: 'createAccount', keyHash: `${key}-${n}`, requestHash: `${n}` };
    const started = creates.map((write, n) =>
      runCreate(setup.organizationId, write, once(n), origins[n] ?? { requestId: '', apiKeyId: '' }),
    );
    return { outcomes: await Promise.allSettled(started), calls: () => calls };
  };
  const accounts = (prefix: string) => origins.map((_, n) => account(`${prefix}${n}.com`, `Name ${n}`));

  test('share a call: the first starts at once, the others go in the next one, with the origin of their request', async () => {
    const { outcomes, calls } = await together(accounts('together'));
    expect(outcomes.map((one) => one.status === 'fulfilled' && one.value.result)).toMatchObject(
      origins.map((_, n) => ({ domain: `together${n}.com`, name: `Name ${n}`, record_status: 'created' })),
    );
    expect(calls()).toBe(2);
    const text = `SELECT request_id AS "requestId", api_key_id AS "apiKeyId" FROM events WHERE organization_id = $1 ORDER BY position`;
    expect(await database.query(setup.organizationId, { text, values: [] })).toEqual(origins);
  });

  test('share no call with those of another organization', async () => {
    const { id: other } = await setupTools(database).createOrganization({ name: 'Other' });
    const organizations = [setup.organizationId, other] as const;
    const runCreate = createRides(database, 100);
    const origin = { requestId: 'beside', apiKeyId: randomUUID() };
    const started = Array.from({ length: 12 }, (_, n) =>
      runCreate(organizations[n % 2] ?? other, account(`of${n % 2}-${n}.com`), null, origin),
    );
    await Promise.all(started);
    for (const [n, id] of organizations.entries()) {
      const text =
        'SELECT left(domain, 3) AS of, count(*)::int AS n FROM accounts WHERE organization_id = $1 GROUP BY 1';
      expect(await database.query(id, { text, values: [] })).toEqual([{ of: `of${n}`, n: 6 }]);
    }
  });

  test('have calls of their own if a call takes only one', async () => {
    expect((await together(accounts('alone'), 1)).calls()).toBe(origins.length);
  });

  test('are refused one by one', async () => {
    const refused = noteCreate(setup, {
      ...{ title: 'T', content: null, accountDomains: [], contactEmails: [] },
      opportunityIds: [randomUUID()],
    });
    const { outcomes, calls } = await together([note(), note(), refused, note(), refused, note()]);
    expect(outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true, false, true]);
    expect(outcomes[2]).toMatchObject({ reason: { reason: { kind: 'unknown_opportunities', places: [0] } } });
    expect(calls()).toBe(2);
  });

  test('are run again alone if one has a custom field that is gone, or a value that the server refuses', async () => {
    const gone = deal({ name: 'Gone' });
    const { change } = gone.input as { change: object };
    const withField = { ...gone, input: { ...gone.input, change: { ...change, custom_fields: { lost: 1 } } } };
    const deals = ['A', 'B', 'C', 'D'].map((name) => deal({ name }));
    const first = await together([...deals, withField]);
    expect(first.outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, true, true, false]);
    expect(first.outcomes[4]).toMatchObject({ reason: { reason: { kind: 'setup_changed' } } });
    const invalid = account('not a domain');
    const second = await together([account('a.com'), account('b.com'), invalid, account('c.com')]);
    expect(second.outcomes.map(({ status }) => status === 'fulfilled')).toEqual([true, true, false, true]);
  });

  test('each keep their Idempotency-Key', async () => {
    const first = await together(accounts('keyed'), 100, 'key');
    const again = await together(accounts('keyed'), 100, 'key');
    expect([first.calls(), again.calls()]).toEqual([2, 2]);
    const valuesOf = ({ outcomes }: typeof first) =>
      outcomes.map((one) => (one.status === 'fulfilled' ? one.value : null));
    expect(valuesOf(again).map((one) => one?.replayed)).toEqual(origins.map(() => true));
    expect(valuesOf(again).map((one) => one?.result)).toEqual(valuesOf(first).map((one) => one?.result));
  });
});

describe('a repeat that changes nothing', () => {
  /** Runs a write in a transaction. @returns whether the transaction got an id, which it gets only if it changes rows */
  const assignsTransactionId = async <Result>(write: Write<Result>): Promise<boolean> => {
    const writeUrl = await writeServerUrl(url, setup.organizationId);
    const writer = openDatabase({ url: writeUrl, applicationName, maxConnections: 1 });
    await writer.queryServer({ text: 'BEGIN' });
    await runWrite(writer, setup.organizationId, write, null);
    const text = 'SELECT pg_current_xact_id_if_assigned()::text AS id';
    const [row] = await writer.queryServer<{ id: string | null }>({ text });
    await writer.queryServer({ text: 'COMMIT' });
    await writer.close();
    return row?.id !== null;
  };

  test('assigns no transaction id as a create', async () => {
    await run(account('acme.com', 'Acme'));
    await run(contact('ann@acme.com', 'Ann', 'Lee'));
    await run(deal());
    const repeats: Readonly<Record<string, Write<unknown>>> = {
      'an account': account('acme.com', 'Acme'),
      'a contact with another name': contact('ann@acme.com', 'Anna'),
      'without contacts': deal({ contact_email: undefined, additional_contacts: undefined }),
      'the primary contact among the additional ones': deal({ additional_contacts: ['ann@acme.com'] }),
      'other values': deal({ amount: 5, next_step: 'Call' }, { seats: 9 }),
    };
    for (const [about, repeat] of Object.entries(repeats))
      expect([about, await assignsTransactionId(repeat)]).toEqual([about, false]);
  });

  test('assigns none as an update either', async () => {
    const { id: accountId } = await run(account('acme.com', 'Acme'));
    const { id: contactId } = await run(contact('ann@acme.com', 'Ann'));
    const { id: dealId } = await run(deal({ amount: 5 }));
    const target = (id: string) => ({ id, version: 1 });
    const updates = [
      accountUpdate(target(accountId), changeOf('account', { name: 'Acme', domain: 'acme.com', industry: null })),
      contactUpdate(setup, target(contactId), changeOf('contact', { first_name: 'Ann', email: 'ann@acme.com' })),
      opportunityUpdate(setup, target(dealId), changeOf('opportunity', { amount: 5, account_domain: 'acme.com' })),
      opportunityUpdate(
        setup,
        target(dealId),
        changeOf('opportunity', { additional_contacts: ['bob@acme.com', 'cid@acme.com'] }),
      ),
    ];
    for (const update of updates) expect(await assignsTransactionId(update)).toBe(false);
  });

  test('differs from a write that changes something, which assigns one', async () => {
    expect(await assignsTransactionId(account('new.com'))).toBe(true);
    await run(deal());
    expect(await assignsTransactionId(deal({ contact_email: 'new@acme.com' }))).toBe(true);
    expect(await assignsTransactionId(note())).toBe(true);
  });
});

test('a change of an account or a contact rewrites its opportunities only if they copy what it changes', async () => {
  const { id: accountId } = await run(account('acme.com', 'Acme'));
  const { id: contactId } = await run(contact('ann@acme.com', 'Ann'));
  await run(deal());
  /** The transaction that last wrote the opportunity. */
  const lastWriter = async (): Promise<string | undefined> => {
    const text = 'SELECT xmin::text AS id FROM opportunities WHERE organization_id = $1';
    return (await database.query<{ id: string }>(setup.organizationId, { text, values: [] }))[0]?.id;
  };
  type Texts = Readonly<Record<string, string>>;
  const updateAccount = (to: Texts) => accountUpdate({ id: accountId }, changeOf('account', to));
  const updateContact = (to: Texts) => contactUpdate(setup, { id: contactId }, changeOf('contact', to));
  for (const [about, update, rewrites] of [
    ['another case of the name', updateAccount({ name: 'ACME' }), false],
    ['another industry', updateAccount({ industry: 'Steel' }), false],
    ['another name', updateAccount({ name: 'Apex' }), true],
    ['another domain', updateAccount({ domain: 'apex.com' }), true],
    ['another phone', updateContact({ phone: '+1 555 0001' }), false],
    ['another first name', updateContact({ first_name: 'Anna' }), true],
  ] as const) {
    const before = await lastWriter();
    await run(update);
    expect([about, (await lastWriter()) !== before]).toEqual([about, rewrites]);
  }
});

test('the stored record of an opportunity contains visible custom fields but no hidden ones', async () => {
  await run(deal({}, { seats: 3, secret: 4 }));
  const { organizationId } = setup;
  const text = 'SELECT record FROM opportunities WHERE organization_id = $1';
  const [row] = await database.query<{ record: string }>(organizationId, { text, values: [] });
  expect(JSON.parse(row?.record ?? '')).toMatchObject({ stage_name: 'New "1"', custom_fields: { seats: 3 } });
  expect(row?.record).not.toContain('secret');
});
