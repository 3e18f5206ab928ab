import { setTimeout as sleep } from 'node:timers/promises';
import { changeOf, type CustomValue, type CustomValues } from '@crm/domain';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setupTools } from '@crm/testing/suites';
import { rebuildRecords } from '../src/administration/rebuild-records.js';
import { type OrganizationSetup, loadSetup, type Pipeline } from '../src/organization-setup.js';
import { openAdministrationDatabase } from '../src/administration-database.js';
import { openDatabase } from '../src/database.js';
import { accountCreate, accountUpdate } from '../src/write/accounts.js';
import { contactCreate, contactUpdate } from '../src/write/contacts.js';
import { recordDeletion } from '../src/write/deletions.js';
import { noteCreate } from '../src/write/notes.js';
import { opportunityCreate, opportunityUpdate } from '../src/write/opportunities.js';
import { runWrite, type Write } from '../src/write/write.js';
import { queryOnce } from './support/database.js';

const { databaseUrl: url } = readTestStack();
const applicationName = 'writes-test';
// One connection, so that all calls of a test run in the transaction that it begins.
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
const untilSomethingWaits = async (): Promise<void> => {
  const text = `SELECT FROM pg_stat_activity WHERE application_name = '${applicationName}' AND wait_event_type = 'Lock'`;
  while ((await queryOnce(url, text)).length === 0) await sleep(5);
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

/** The stored records of all opportunities, in the order of their creation. */
const recordsOf = async (): Promise<Record<string, unknown>[]> => {
  const text = 'SELECT record FROM opportunities WHERE organization_id = $1 ORDER BY created_at, id';
  const rows = await database.query<{ record: string }>(setup.organizationId, { text, values: [] });
  return rows.map(({ record }) => JSON.parse(record) as Record<string, unknown>);
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
  const writer = openDatabase({ url, applicationName, maxConnections: 1 });
  await writer.queryServer({ text: 'BEGIN' });
  await runWrite(writer, setup.organizationId, deal({}, { seats: 12 }), null);
  const { organizationId } = setup;
  const change = { organizationId, objectType: 'opportunity', slug: 'seats', isHidden: true } as const;
  const hiding = setupTools(database).updateField(change);
  await untilSomethingWaits();
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

describe('the stored record of every opportunity equals the computed one', () => {
  const expectStoredIsComputed = async (about: string): Promise<void> => {
    const rows = await database.query<{ stored: string; computed: string }>(setup.organizationId, {
      text: `SELECT record AS stored, opportunity_record(o, additional_contact_ids(organization_id, id)) AS computed
               FROM opportunities o WHERE organization_id = $1`,
      values: [],
    });
    expect(rows.length).toBeGreaterThan(0);
    for (const { stored, computed } of rows) {
      expect([about, stored]).toEqual([about, computed]);
      expect(() => void JSON.parse(stored)).not.toThrow();
    }
  };
  const idOf = async (table: string, condition: string): Promise<{ id: string }> => {
    const text = `SELECT id FROM ${table} WHERE organization_id = $1 AND ${condition}`;
    const [row] = await database.query<{ id: string }>(setup.organizationId, { text, values: [] });
    return row ?? { id: '' };
  };
  const change = async (more: Readonly<Record<string, unknown>>, custom?: CustomValues) => {
    const target = await idOf('opportunities', `name LIKE 'Deal %'`);
    return run(opportunityUpdate(setup, target, changeOf('opportunity', more, custom)));
  };
  const changeSeats = (seats: number | null) =>
    change({}, { definitions: setup.fieldIndex('opportunity', null).bySlug, values: new Map([['seats', seats]]) });

  beforeEach(async () => {
    await run(contact('cid@acme.com', 'Cid "C"', '\\'));
    await run(deal({}, { seats: 3, secret: 4 }));
    await run(deal({ name: 'Other', account_domain: null, contact_email: null, additional_contacts: [] }));
  });

  /** Each changes the records that the changes before it have left. */
  const changes: Readonly<Record<string, () => Promise<unknown>>> = {
    'a repeat changes nothing': () => run(deal()),
    'a repeat adds contacts': () => run(deal({ additional_contacts: ['zoe@acme.com', 'bob@acme.com'] })),
    'an additional contact gets its names': () => run(contact('bob@acme.com', 'Bob', 'Böb')),
    'the primary contact gets its names': () => run(contact('ann@acme.com', 'Ann')),
    'its account is created again': () => run(account('acme.com', 'Acme Ltd')),
    'a note is put on its contacts': () => run(note('ann@acme.com', 'bob@acme.com')),
    'a repeat replaces the primary contact': () => run(deal({ contact_email: 'cid@acme.com' })),
    'its stage changes': () => change({ stage_id: pipeline.stages[1]?.id }),
    'its stage is cleared': () => change({ stage_id: null }),
    'a custom value changes': () => changeSeats(7),
    'a custom value is cleared': () => changeSeats(null),
    'its account gets another name and domain': async () => {
      const id = await idOf('accounts', `domain = 'acme.com'`);
      return run(accountUpdate(id, changeOf('account', { name: 'A', domain: 'b.com' })));
    },
    'an additional contact gets other names and another email': async () => {
      const names = { email: 'rob@other.com', first_name: 'Rob', last_name: null };
      return run(contactUpdate(setup, await idOf('contacts', `email LIKE 'bob@%'`), changeOf('contact', names)));
    },
    'an additional contact is deleted': async () =>
      run(recordDeletion('contact', await idOf('contacts', `email LIKE 'rob@%'`))),
    'the primary contact is deleted': async () =>
      run(recordDeletion('contact', await idOf('contacts', `email LIKE 'cid@%'`))),
    'its contacts are replaced': () => change({ contact_email: 'new@acme.com', additional_contacts: ['x@acme.com'] }),
    'its contacts are removed': () => change({ contact_email: null, additional_contacts: [] }),
    'its account changes': () => change({ account_domain: 'moved.com' }),
    'its name changes': () => change({ name: 'Deal with a new name' }),
    'another opportunity is deleted': async () =>
      run(recordDeletion('opportunity', await idOf('opportunities', `name = 'Other'`))),
  };

  test('after each change', async () => {
    await expectStoredIsComputed('it is created');
    for (const [about, write] of Object.entries(changes)) {
      await write();
      await expectStoredIsComputed(about);
    }
    expect(await recordsOf()).toMatchObject([{ name: 'Deal with a new name', contact_id: null }]);
  });

  test('and contains visible custom fields but no hidden ones', async () => {
    const [record] = await recordsOf();
    expect(record).toMatchObject({ stage_name: 'New "1"', custom_fields: { seats: 3 } });
    expect(JSON.stringify(record)).not.toContain('secret');
  });
});
