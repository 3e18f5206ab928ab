import { setTimeout as sleep } from 'node:timers/promises';
import { type CustomValue, normalizeEmail, type NormalizedEmail } from '@crm/domain';
import type { TestDatabase } from '@crm/testing';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { administration } from '../src/administration.js';
import { rebuildRecords } from '../src/administration/rebuild-records.js';
import { type OrganizationSetup, loadSetup, type Pipeline } from '../src/organization-setup.js';
import { type AdministrationDatabase, openAdministrationDatabase } from '../src/administration-database.js';
import { openDatabase } from '../src/database.js';
import { accountCreate, accountUpdate } from '../src/write/accounts.js';
import { contactCreate, contactUpdate } from '../src/write/contacts.js';
import { recordDeletion } from '../src/write/deletions.js';
import { noteCreate } from '../src/write/notes.js';
import { type NewOpportunity, opportunityCreate, opportunityUpdate } from '../src/write/opportunities.js';
import { runWrite, type Write } from '../src/write/write.js';
import { createMigratedDatabase, queryOnce } from './support/database.js';

let testDatabase: TestDatabase;
let database: AdministrationDatabase;
let setup: OrganizationSetup;
let pipeline: Pipeline;

beforeAll(async () => {
  testDatabase = await createMigratedDatabase();
  // One connection, so that all calls of a test run in the transaction that it begins.
  database = openAdministrationDatabase({ url: testDatabase.url, applicationName: 'writes-test', maxConnections: 1 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});
beforeEach(async () => {
  const { createOrganization, createPipeline, defineField } = administration(database);
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

/** Resolves when a statement in the database waits for a lock. */
const untilSomethingWaits = async (): Promise<void> => {
  const text = `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  while ((await queryOnce(testDatabase.url, text)).length === 0) await sleep(5);
};

const none = { definitions: new Map<string, never>(), values: new Map<string, never>() };
const email = (text: string): NormalizedEmail => {
  const result = normalizeEmail(text);
  if (!result.ok) throw new Error(`not an email: ${text}`);
  return result.value;
};
const run = async <Result>(write: Write<Result>): Promise<Result> =>
  (await runWrite(database, setup.organizationId, write, null)).result;

const account = (domain: string, name?: string) => accountCreate({ domain, name, ...none }, 'keep');
const contact = (address: string, firstName?: string, lastName?: string) =>
  contactCreate(setup, { email: email(address), firstName, lastName, ...none }, 'keep');
const note = (...emails: string[]) =>
  noteCreate(setup, { title: 'T', content: null, accountDomains: ['acme.com'], contactEmails: emails.map(email) });
const deal = (more: Partial<NewOpportunity> = {}, custom: Readonly<Record<string, CustomValue>> = {}) => {
  const { bySlug: definitions } = setup.fieldIndex('opportunity', pipeline.id);
  const related = { accountDomain: 'acme.com', primaryContact: email('ann@acme.com') };
  const additionalContacts = [email('bob@acme.com'), email('cid@acme.com')];
  const values = new Map(Object.entries(custom));
  return opportunityCreate(
    setup,
    pipeline,
    { name: 'Deal \\ "quoted" é', ...related, additionalContacts, definitions, values, ...more },
    'keep',
  );
};

test('a create that runs while a field is hidden stores a record without the field', async () => {
  const writer = openDatabase({ url: testDatabase.url, applicationName: 'writes-test-writer', maxConnections: 1 });
  await writer.queryServer({ text: 'BEGIN' });
  await runWrite(writer, setup.organizationId, deal({}, { seats: 12 }), null);
  let isHidden = false;
  const change = {
    organizationId: setup.organizationId,
    objectType: 'opportunity',
    slug: 'seats',
    isHidden: true,
  } as const;
  const hiding = administration(database)
    .updateField(change)
    .then(() => {
      isHidden = true;
    });
  await untilSomethingWaits();
  expect(isHidden).toBe(false);
  await writer.queryServer({ text: 'COMMIT' });
  await hiding;
  await rebuildRecords(database, setup.organizationId);
  await runWrite(writer, setup.organizationId, deal({ name: 'Later' }, { seats: 12 }), null);
  await writer.close();
  const text = 'SELECT record FROM opportunities WHERE organization_id = $1';
  const records = await database.query<{ record: string }>(setup.organizationId, { text, values: [] });
  expect(records.map(({ record }) => (JSON.parse(record) as { custom_fields: unknown }).custom_fields)).toEqual([
    {},
    {},
  ]);
});

describe('a repeat that changes nothing', () => {
  /** Runs a write in a transaction. @returns whether the transaction got an id, which it gets only if it changes rows */
  const assignsTransactionId = async <Result>(write: Write<Result>): Promise<boolean> => {
    await database.queryServer({ text: 'BEGIN' });
    await run(write);
    const text = 'SELECT pg_current_xact_id_if_assigned()::text AS id';
    const [row] = await database.queryServer<{ id: string | null }>({ text });
    await database.queryServer({ text: 'COMMIT' });
    return row?.id !== null;
  };

  test.each<[string, () => Write<unknown>]>([
    ['account', () => account('acme.com', 'Acme')],
    ['account with another name', () => account('acme.com', 'Other')],
    ['contact', () => contact('ann@acme.com', 'Ann', 'Lee')],
    ['contact without names', () => contact('ann@acme.com')],
    ['contact with another name', () => contact('ann@acme.com', 'Anna')],
    ['opportunity', () => deal()],
    ['opportunity without contacts', () => deal({ primaryContact: undefined, additionalContacts: undefined })],
    [
      'opportunity with its primary contact among the additional ones',
      () => deal({ additionalContacts: [email('ann@acme.com')] }),
    ],
    ['opportunity with other values', () => deal({ amount: 5, nextStep: 'Call' }, { seats: 9 })],
  ])('of an %s assigns no transaction id', async (_about, repeat) => {
    await run(account('acme.com', 'Acme'));
    await run(contact('ann@acme.com', 'Ann', 'Lee'));
    await run(deal());
    expect(await assignsTransactionId(repeat())).toBe(false);
  });

  test('assigns none as an update either', async () => {
    const { id: accountId } = await run(account('acme.com', 'Acme'));
    const { id: contactId } = await run(contact('ann@acme.com', 'Ann'));
    const { id: dealId } = await run(deal({ amount: 5 }));
    const target = (id: string) => ({ id, version: 1 });
    const updates = [
      accountUpdate(target(accountId), { ...none, name: 'Acme', domain: 'acme.com', industry: null }),
      contactUpdate(setup, target(contactId), { ...none, firstName: 'Ann', email: email('ann@acme.com') }),
      opportunityUpdate(setup, target(dealId), { ...none, amount: 5, accountDomain: 'acme.com' }),
      opportunityUpdate(setup, target(dealId), {
        ...none,
        additionalContacts: ['bob', 'cid'].map((one) => email(`${one}@acme.com`)),
      }),
    ];
    for (const update of updates) expect(await assignsTransactionId(update)).toBe(false);
  });

  test('differs from a write that changes something, which assigns one', async () => {
    expect(await assignsTransactionId(account('new.com'))).toBe(true);
    await run(deal());
    expect(await assignsTransactionId(deal({ primaryContact: email('new@acme.com') }))).toBe(true);
    expect(await assignsTransactionId(note())).toBe(true);
  });
});

describe('the stored record of every opportunity equals the computed one', () => {
  const expectStoredIsComputed = async (): Promise<void> => {
    const rows = await database.query<{ stored: string; computed: string }>(setup.organizationId, {
      text: `SELECT record AS stored, opportunity_record(o, additional_contact_ids(organization_id, id)) AS computed
               FROM opportunities o WHERE organization_id = $1`,
      values: [],
    });
    expect(rows.length).toBeGreaterThan(0);
    for (const { stored, computed } of rows) {
      expect(stored).toBe(computed);
      expect(() => void JSON.parse(stored)).not.toThrow();
    }
  };
  const idOf = async (
    table: 'accounts' | 'contacts' | 'opportunities',
    column: string,
    value: string,
  ): Promise<string> => {
    const text = `SELECT id FROM ${table} WHERE organization_id = $1 AND ${column} = $2`;
    const [row] = await database.query<{ id: string }>(setup.organizationId, { text, values: [value] });
    return row?.id ?? '';
  };
  const change = async (more: object) =>
    run(
      opportunityUpdate(
        setup,
        { id: await idOf('opportunities', 'normalized_name', 'deal \\ "quoted" é') },
        { ...none, ...more },
      ),
    );

  beforeEach(async () => {
    await run(contact('cid@acme.com', 'Cid "C"', '\\'));
    await run(deal({}, { seats: 3, secret: 4 }));
    await run(deal({ name: 'Other', accountDomain: null, primaryContact: null, additionalContacts: [] }));
  });

  test.each<[string, () => Promise<unknown>]>([
    ['an opportunity is created', () => Promise.resolve()],
    ['a repeat changes nothing', () => run(deal())],
    ['a repeat replaces the primary contact', () => run(deal({ primaryContact: email('cid@acme.com') }))],
    ['a repeat adds contacts', () => run(deal({ additionalContacts: [email('zoe@acme.com'), email('bob@acme.com')] }))],
    ['an additional contact gets its names', () => run(contact('bob@acme.com', 'Bob', 'Böb'))],
    ['the primary contact gets its names', () => run(contact('ann@acme.com', 'Ann'))],
    ['its account is created again', () => run(account('acme.com', 'Acme Ltd'))],
    ['a note is put on its contacts', () => run(note('ann@acme.com', 'bob@acme.com'))],
    ['its name changes', () => change({ name: 'New name' })],
    ['its stage changes', () => change({ stageId: pipeline.stages[1]?.id })],
    ['its stage is cleared', () => change({ stageId: null })],
    [
      'its contacts are replaced',
      () => change({ primaryContact: email('new@acme.com'), additionalContacts: [email('x@acme.com')] }),
    ],
    ['its contacts are removed', () => change({ primaryContact: null, additionalContacts: [] })],
    ['its account changes', () => change({ accountDomain: 'moved.com' })],
    [
      'a custom value changes',
      () => change({ definitions: setup.fieldIndex('opportunity', null).bySlug, values: new Map([['seats', 7]]) }),
    ],
    [
      'a custom value is cleared',
      () => change({ definitions: setup.fieldIndex('opportunity', null).bySlug, values: new Map([['seats', null]]) }),
    ],
    [
      'its account gets another name and domain',
      async () =>
        run(
          accountUpdate({ id: await idOf('accounts', 'domain', 'acme.com') }, { name: 'A', domain: 'b.com', ...none }),
        ),
    ],
    [
      'an additional contact gets other names and another email',
      async () => {
        const id = await idOf('contacts', 'email', 'bob@acme.com');
        return run(
          contactUpdate(setup, { id }, { email: email('rob@other.com'), firstName: 'Rob', lastName: null, ...none }),
        );
      },
    ],
    [
      'an additional contact is deleted',
      async () => run(recordDeletion('contact', { id: await idOf('contacts', 'email', 'bob@acme.com') })),
    ],
    [
      'the primary contact is deleted',
      async () => run(recordDeletion('contact', { id: await idOf('contacts', 'email', 'ann@acme.com') })),
    ],
    [
      'another opportunity is deleted',
      async () => run(recordDeletion('opportunity', { id: await idOf('opportunities', 'name', 'Other') })),
    ],
  ])('after %s', async (_about, write) => {
    await write();
    await expectStoredIsComputed();
  });

  test('and contains visible custom fields but no hidden ones', async () => {
    const text = `SELECT record FROM opportunities WHERE organization_id = $1 AND name <> 'Other'`;
    const [row] = await database.query<{ record: string }>(setup.organizationId, { text, values: [] });
    expect(JSON.parse(row?.record ?? '')).toMatchObject({ stage_name: 'New "1"', custom_fields: { seats: 3 } });
    expect(row?.record).not.toContain('secret');
  });
});
