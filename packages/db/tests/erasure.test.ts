import { randomUUID } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { recordDeletion } from '../src/write/deletions.js';
import { noteUpdate } from '../src/write/notes.js';
import { indexedWrite, runWrites } from '../src/write/write-many.js';
import { newKey, useSmallOrganization } from './support/small-organization.js';

const organization = useSmallOrganization('erasure-test');
const { create, merge, note, rows, run, update } = organization;

/** Columns of texts and JSON that hold no value of a person whom an organization may delete, with the reason. */
const without: Readonly<Record<string, readonly [columns: string, reason: string]>> = {
  accounts: ['*', 'a company'],
  account_aliases: ['*', 'a company'],
  api_keys: ['*', 'the setup'],
  audit_events: ['*', 'the setup and who changed it'],
  custom_fields: ['*', 'the setup'],
  members: ['*', 'the setup: colleagues, whom another command removes'],
  organizations: ['*', 'the setup'],
  pipelines: ['*', 'the setup'],
  stages: ['*', 'the setup'],
  webhook_endpoints: ['*', 'the setup'],
  function_versions: ['*', 'the schema'],
  gateway_requirements: ['*', 'the schema'],
  _prisma_migrations: ['*', 'the schema'],
  merged_records: ['object_type', 'a name of this program'],
  idempotency_keys: ['operation key request_hash', 'digests'],
  events: ['type object request_id traceparent changed visits', 'names of fields, ids and times'],
  webhook_attempts: ['outcome type object error', 'texts of this program'],
  webhook_parked: ['object error', 'texts of this program'],
  // People write these texts into deals, and a deletion keeps deals.
  opportunities: [
    'account_key name normalized_name external_id currency next_step account_domain account_name_key custom_fields normalized search_text text_1 text_2 text_3 text_4 text_5 text_6 text_7 text_8',
    'a deal',
  ],
};

interface Column {
  readonly table: string;
  readonly column: string;
}

/** Every column of a text, a JSON value, bytes or a list of texts, in a table or the parent of partitions. */
const textColumns = async (): Promise<Column[]> => {
  const text = `SELECT c.relname AS table, a.attname AS column
      FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
     WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
       AND a.attnum > 0 AND NOT a.attisdropped
       AND (t.typname IN ('json', 'jsonb', 'bytea', '_text', '_varchar') OR t.typcategory = 'S') ORDER BY 1, 2`;
  return (await organization.database.pool.query<{ table: string; column: string }>(text)).rows;
};
const canHoldValues = async (): Promise<Column[]> =>
  (await textColumns()).filter(({ table, column }) => {
    const [columns = ''] = without[table] ?? [];
    return columns !== '*' && !columns.split(' ').includes(column);
  });

const canary = /canar/i;
/** The columns in which a row of the organization has the canary. */
const columnsWithCanary = async (): Promise<string[]> => {
  const tables = new Set((await textColumns()).map(({ table }) => table));
  const found = new Set<string>();
  for (const table of tables) {
    const has = `SELECT 1 FROM information_schema.columns WHERE table_name = $1 AND column_name = 'organization_id'`;
    if ((await organization.database.pool.query(has, [table])).rowCount === 0) continue;
    for (const { row } of await rows<{ row: object }>(
      `SELECT to_jsonb(t) AS row FROM "${table}" t WHERE organization_id = $1`,
    ))
      for (const [column, value] of Object.entries(row))
        if (canary.test(JSON.stringify(value))) found.add(`${table}.${column}`);
  }
  return [...found].sort();
};

/** Stores what the deletion must find beyond the records: attempts to deliver an event of a record, whose answers repeat it. */
const attempt = async (recordId: string, object: string, count = 1): Promise<void> => {
  const endpoint = randomUUID();
  await rows(
    `INSERT INTO webhook_endpoints (organization_id, id, url, secret, position) VALUES ($1, $2, 'https://a.example', 's', 0)`,
    endpoint,
  );
  await rows(
    `INSERT INTO webhook_attempts (organization_id, endpoint_id, id, outcome, object, record_id, events, response, occurred_at)
     SELECT $1, $2, gen_random_uuid(), 'failed', $4, $3, 1, 'no such person: Canaria', now() FROM generate_series(1, $5::int)`,
    endpoint,
    recordId,
    object,
    count,
  );
};

const slugs = Array.from({ length: 8 }, (_, n) => `words_${n}`);
const custom = (text: string) => Object.fromEntries(slugs.map((slug) => [slug, text]));
const person = (email: string) => ({
  email,
  first_name: 'Canaria',
  last_name: 'Canary',
  phone: 'canary 1',
  job_title: 'Canary',
  external_id: `canary-${email}`,
});

/** Defines as many fields as a record has slots for their values. */
const defineWords = () =>
  organization.defineFields(
    slugs.map((slug) => ({ slug, objectType: 'contact', attributeType: 'string', metadata: null, isHidden: false })),
  );

/** Creates a person and everything that has their values, each `count` times. @returns the id */
const writePerson = async (email: string, count: number): Promise<string> => {
  const id = await create('contact', person(email), custom('Canary'), newKey());
  for (let n = 0; n < count; n += 1) {
    await run(update('contact', { id }, { job_title: `Canary ${n}` }), newKey());
    await create('opportunity', { name: `First ${email.replace(/.*@/, '')} ${n}`, contact_email: email }, {}, newKey());
    await create(
      'opportunity',
      {
        name: `Second ${email.replace(/.*@/, '')} ${n}`,
        account_domain: 'shop.com',
        additional_contacts: [email, 'stays@shop.com'],
      },
      {},
      newKey(),
    );
    await note({ title: `About ${n}`, contactEmails: [email] }, newKey());
    // The stored result of a repeated create has the names and the email.
    await run(organization.contactCreation(person(email)), newKey());
  }
  await attempt(id, 'contact', count);
  return id;
};

/** The notes and deals whose last event has a contact. */
const namedIn = (id: string) =>
  rows(
    `SELECT e.object, e.position FROM events e WHERE e.organization_id = $1 AND e.object IN ('note', 'opportunity')
          AND (e.record->'contact_ids' @> $2 OR e.record->'additional_contact_ids' @> $2 OR e.record->'contact_id' = $3)
          AND e.position = (SELECT max(l.position) FROM events l WHERE l.organization_id = $1 AND l.record_id = e.record_id)`,
    JSON.stringify([id]),
    JSON.stringify(id),
  );

/** Deletes a record in batches. @returns the number of calls */
const removeInBatches = async (object: 'contact' | 'note', id: string, rowsAtOnce: number): Promise<number> => {
  let erased: object | null | undefined;
  for (let calls = 1; calls < 100; calls += 1) {
    const result = await run(recordDeletion(object, { id }, { rows: rowsAtOnce, bytes: 1_000_000, erased }));
    if (result.is_deleted !== false) return calls;
    ({ erased } = result);
  }
  throw new Error('The deletion does not end');
};

test('R27: the values of a person can be in these columns only, so a new table or column is found here', async () => {
  const all = await textColumns();
  const tables = new Set(all.map(({ table }) => table));
  expect(Object.keys(without).filter((table) => !tables.has(table))).toEqual([]);
  for (const [table, [columns]] of Object.entries(without))
    for (const column of columns === '*' ? [] : columns.split(' ')) expect(all).toContainEqual({ table, column });
});

describe('R27: a deletion leaves no value of', () => {
  test('a person in any column that can have one, nor of those merged into the person one after the other', async () => {
    await defineWords();
    const ids = [];
    for (const email of ['canary@one.com', 'canary@two.com', 'canary@three.com']) ids.push(await writePerson(email, 2));
    const [first = '', second = '', last = ''] = ids;
    await merge('contact', second, first);
    await merge('contact', last, second);
    const writes = [indexedWrite(0, organization.contactCreation({ email: 'applied@shop.com' }))];
    const refused = { 1: { errors: { 'canary@three.com': 'unknown field' } } };
    await runWrites(
      organization.database,
      organization.organizationId(),
      { function: 'create_contact', writes, refused, refuseItems: () => ({}) },
      newKey(),
    );
    const noteId = await note({ title: 'Canary', content: 'Canaria sings' }, newKey());
    await run(noteUpdate({ id: noteId }, { title: 'Canary again' }));
    await attempt(noteId, 'note');
    const expected = (await canHoldValues()).map(({ table, column }) => `${table}.${column}`);
    expect(await columnsWithCanary()).toEqual(expect.arrayContaining(expected));
    await removeInBatches('note', noteId, 250);
    await removeInBatches('contact', last, 250);
    expect(await columnsWithCanary()).toEqual([]);
  });

  test.each([1, 2, 3, 4, 5])('a person with %d of everything, in batches of two', async (count) => {
    const ids = [await writePerson('canary@one.com', count), await writePerson('canary@two.com', count)];
    const [merged = '', id = ''] = ids;
    await merge('contact', id, merged);
    await removeInBatches('contact', id, 2);
    expect(await columnsWithCanary()).toEqual([]);
    const kept = await rows('SELECT count(*)::int AS n FROM opportunities WHERE organization_id = $1');
    expect(kept).toEqual([{ n: 4 * count }]);
    const linked = await rows(`SELECT count(*)::int AS n FROM opportunity_contacts WHERE organization_id = $1`);
    expect(linked).toEqual([{ n: 2 * count }]);
    // Each of them has an event without the person.
    expect(await namedIn(id)).toEqual([]);
  });

  // Few events, so that their batches do not give the others more calls than they need.
  const things: Readonly<Record<string, (n: number) => Promise<unknown>>> = {
    'stored results': () => run(organization.contactCreation(person('canary@one.com')), newKey()),
    deals: (n) => create('opportunity', { name: `Deal ${n}`, contact_email: 'canary@one.com' }),
    'deals of others': (n) =>
      create('opportunity', { name: `Deal ${n}`, account_domain: 'a.com', additional_contacts: ['canary@one.com'] }),
    notes: (n) => note({ title: `About ${n}`, contactEmails: ['canary@one.com'] }),
  };
  test.each(Object.keys(things).flatMap((name) => [1, 2, 3, 5].map((count) => [name, count] as const)))(
    'a person with one event and only %s: %d, in batches of two',
    async (name, count) => {
      const id = await create('contact', person('canary@one.com'));
      for (let n = 0; n < count; n += 1) await things[name]?.(n);
      await removeInBatches('contact', id, 2);
      expect(await columnsWithCanary()).toEqual([]);
      expect(await namedIn(id)).toEqual([]);
    },
  );

  test.each([1, 2, 3])('a note with %d changes and answers, in batches of two', async (count) => {
    const key = newKey();
    const id = await note({ title: 'Canary', content: 'Canary' }, key);
    for (let n = 0; n < count; n += 1) await run(noteUpdate({ id }, { title: `Canary ${n}` }), newKey());
    await attempt(id, 'note', count);
    await removeInBatches('note', id, 2);
    expect(await columnsWithCanary()).toEqual([]);
  });
});
