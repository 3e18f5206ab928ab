import { changedFields, changeOf } from '@crm/domain';
import { readTestStack } from '@crm/testing';
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals';
import { setupTools } from '@crm/testing/suites';
import { openAdministrationDatabase } from '../src/administration-database.js';
import { type OrganizationSetup, loadSetup, type Pipeline } from '../src/organization-setup.js';
import { listLargestChangeLogs } from '../src/events/event-heads.js';
import { accountCreate, accountUpdate } from '../src/write/accounts.js';
import { contactCreate, contactUpdate } from '../src/write/contacts.js';
import { deleteRecord, recordDeletion } from '../src/write/deletions.js';
import { recordMerge } from '../src/write/merges.js';
import { noteCreate } from '../src/write/notes.js';
import { opportunityCreate, opportunityUpdate } from '../src/write/opportunities.js';
import { type IdempotencyRecord, runWrite, type Write } from '../src/write/write.js';
import { eventLog } from './support/event-log.js';

const database = openAdministrationDatabase({
  url: readTestStack().databaseUrl,
  applicationName: 'events-test',
  maxConnections: 2,
});
let setup: OrganizationSetup;
let pipeline: Pipeline;

afterAll(() => database.close());
beforeEach(async () => {
  const { createOrganization, createPipeline, defineField } = setupTools(database);
  const { id: organizationId } = await createOrganization({ name: 'Events' });
  await createPipeline({ organizationId, name: 'Sales', stages: [{ label: 'New' }, { label: 'Won' }] });
  const field = { objectType: 'account', attributeType: 'number', metadata: null, isHidden: false } as const;
  await defineField({ organizationId, ...field, name: 'Seats', slug: 'seats', pipelineIds: null });
  setup = await loadSetup(database, organizationId);
  const [first] = setup.pipelines;
  if (first === undefined) throw new Error('there is no pipeline');
  pipeline = first;
});

const origin = { requestId: 'request-1', apiKeyId: '00000000-0000-4000-8000-00000000000a' };
const run = async <Result>(write: Write<Result>, idempotency: IdempotencyRecord | null = null): Promise<Result> =>
  (await runWrite(database, setup.organizationId, write, idempotency, origin)).result;
const contact = (address: string, firstName?: string) =>
  contactCreate(setup, changeOf('contact', { email: address, first_name: firstName }), 'keep');
const deal = (name: string, more: object = {}) =>
  opportunityCreate(setup, pipeline, changeOf('opportunity', { name, contact_email: 'ann@acme.com', ...more }), 'keep');

const { eventsAfter, head } = eventLog(
  () => database.pool,
  () => setup.organizationId,
);
/** The types of the events that `work` writes. */
const typesOf = async (work: () => Promise<unknown>): Promise<string[]> => {
  const { position } = await head();
  await work();
  return (await eventsAfter(position)).map(({ type }) => type);
};

test('filters on changed fields know exactly the fields of events', async () => {
  const { rows } = await database.pool.query<{ object: keyof typeof changedFields; names: string[] }>(`
    SELECT o.object, ARRAY(SELECT jsonb_object_keys(o.record - '{id,custom_fields,created_at,updated_at,version}'::text[])) AS names
      FROM (VALUES ('account', account_event_record(NULL, '[]')), ('contact', contact_event_record(NULL, '[]')),
                   ('opportunity', opportunity_event_record(NULL, '{}')),
                   ('note', note_event_record(NULL, note_links(NULL, NULL)))) AS o (object, record)`);
  for (const { object, names } of rows) expect([object, new Set(names)]).toEqual([object, changedFields[object]]);
});

describe('a write appends its events', () => {
  test('for the record and for all records created with it, numbered from 1 without gaps', async () => {
    const { id } = await run(deal('Website', { additional_contacts: ['bob@acme.com'] }));
    const events = await eventsAfter(0);
    expect(events.map(({ position, type }) => `${position} ${type}`)).toEqual([
      '1 account.created',
      '2 contact.created',
      '3 contact.created',
      '4 opportunity.created',
    ]);
    const [account, ann, bob, created] = events;
    const related = { account_id: account?.record_id, contact_id: ann?.record_id };
    const record = { id, name: 'Website', ...related, additional_contact_ids: [bob?.record_id], custom_fields: {} };
    expect(created).toMatchObject({
      object: 'opportunity',
      record_id: id,
      version: 1,
      previous: null,
      changed: [],
      request_id: 'request-1',
      api_key_id: origin.apiKeyId,
      record: { ...record, version: 1 },
    });
    expect(await head()).toEqual({ position: 4, oldest: 1 });
  });

  test('and counts their bytes, those of one write together', async () => {
    const { id } = await run(accountCreate(changeOf('account', { domain: 'acme.com' }), 'keep'));
    await run(accountUpdate({ id }, changeOf('account', { description: 'é'.repeat(5_000) })));
    await run(deal('Website'));
    const size = (await listLargestChangeLogs(database, 1e6)).find(
      (log) => log.organizationId === setup.organizationId,
    );
    const bytes = (await eventsAfter(0)).reduce((sum, event) => sum + event.bytes, 0);
    expect(bytes).toBeGreaterThan(10_000);
    // Commas separate the events of one write.
    expect((size?.bytes ?? 0) - bytes).toBe(1);
  });

  test('but none for the opportunities of a renamed account or contact', async () => {
    const { id: dealId } = await run(deal('Website'));
    const [account, ann] = await eventsAfter(0);
    const rename = accountUpdate({ id: account?.record_id ?? '' }, changeOf('account', { name: 'New name' }));
    expect(await typesOf(() => run(rename))).toEqual(['account.updated']);
    const named = contactUpdate(setup, { id: ann?.record_id ?? '' }, changeOf('contact', { first_name: 'Ann' }));
    expect(await typesOf(() => run(named))).toEqual(['contact.updated']);
    const change = opportunityUpdate(
      setup,
      { id: dealId },
      changeOf('opportunity', { additional_contacts: ['new@acme.com'] }),
    );
    expect(await typesOf(() => run(change))).toEqual(['contact.created', 'opportunity.updated']);
  });

  test('but none for a repeat without a change, a refusal or a replay', async () => {
    const once = { operation: 'createOpportunity', keyHash: 'x', requestHash: 'y' };
    await run(deal('Website'), once);
    const { id: other } = await run(deal('Shop'));
    const nothing = await typesOf(async () => {
      await run(deal('Website'), once);
      await run(deal('Website'));
      const taken = opportunityUpdate(setup, { id: other }, changeOf('opportunity', { name: 'Website' }));
      await expect(run(taken)).rejects.toMatchObject({ reason: { kind: 'key_taken' } });
    });
    expect(nothing).toEqual([]);
  });
});

describe('a deletion', () => {
  test('of a contact appends an event for each of its opportunities, and erases the values of its events', async () => {
    const { id } = await run(contact('canary@acme.com', 'Canaria'));
    await run(contactUpdate(setup, { id }, changeOf('contact', { email: 'songbird@acme.com' })));
    await run(deal('Primary', { contact_email: 'songbird@acme.com' }));
    await run(deal('Additional', { additional_contacts: ['songbird@acme.com'] }));
    const { position } = await head();
    await deleteRecord(database, setup.organizationId, 'contact', { id }, origin);
    const events = await eventsAfter(position);
    expect(events.map(({ type }) => type)).toEqual(['opportunity.updated', 'opportunity.updated', 'contact.deleted']);
    const changed = events.flatMap((event) => event.changed);
    expect(changed.sort()).toEqual(['additional_contact_ids', 'contact_id']);
    const all = await eventsAfter(0);
    expect(all.map((event) => event.position)).toEqual(all.map((_, index) => index + 1));
    for (const event of all.filter(({ record_id }) => record_id === id))
      expect(event).toMatchObject({ record: null, previous: null, changed: [], is_erased: true });
    expect(JSON.stringify(all)).not.toMatch(/canar|songbird/i);
  });

  const oneAtATime = { rows: 250, bytes: 1 };
  /** The references to a record, its events with values, and the stored results with values. */
  const remaining = async (id: string): Promise<number> => {
    const text = `SELECT (SELECT count(*) FROM opportunities WHERE organization_id = $1 AND contact_id = $2)
      + (SELECT count(*) FROM opportunity_contacts WHERE organization_id = $1 AND contact_id = $2)
      + (SELECT count(*) FROM note_contacts WHERE organization_id = $1 AND contact_id = $2)
      + (SELECT count(*) FROM note_accounts WHERE organization_id = $1 AND account_id = $2)
      + (SELECT count(*) FROM events WHERE organization_id = $1 AND record_id = $2 AND object <> 'account' AND NOT is_erased)
      + (SELECT count(*) FROM idempotency_keys WHERE organization_id = $1 AND record_ids @> ARRAY[$2::uuid]) AS n`;
    return Number((await database.pool.query<{ n: string }>(text, [setup.organizationId, id])).rows[0]?.n);
  };

  test('ends every call at a number of bytes, and the next call continues', async () => {
    const ann = ['ann@acme.com'];
    const noted = { content: null, accountDomains: ['noted.com'], contactEmails: ann };
    const ids: string[] = [];
    for (const title of ['A', 'B', 'C']) ids.push((await run(noteCreate(setup, { title, ...noted }))).id);
    await run(deal('Primary'));
    await run(deal('Additional', { contact_email: 'bob@acme.com', additional_contacts: ann }));
    const all = await eventsAfter(0);
    const idOf = (key: string, value: string) => all.find(({ record }) => record?.[key] === value)?.record_id ?? '';
    const contactId = idOf('email', 'ann@acme.com');
    await run(contactUpdate(setup, { id: contactId }, changeOf('contact', { first_name: 'Canaria' })));
    for (const [object, id, steps] of [
      ['contact', contactId, 2 + 3 + 2],
      ['note', ids[0] ?? '', 2],
      ['account', idOf('domain', 'noted.com'), 2],
    ] as const) {
      const left = [await remaining(id)];
      let erased: object | null | undefined;
      // With a fault that erases nothing, the loop ends one step too late.
      while (left.at(-1) !== 0 && left.length <= steps + 1) {
        const result = await run(recordDeletion(object, { id }, { ...oneAtATime, erased }));
        expect(result).toMatchObject({ is_deleted: false });
        ({ erased } = result);
        left.push(await remaining(id));
      }
      expect(left).toEqual(Array.from({ length: steps + 1 }, (_, done) => steps - done));
      await run(recordDeletion(object, { id }, { ...oneAtATime, erased }));
      await expect(run(recordDeletion(object, { id }))).rejects.toMatchObject({ reason: { kind: 'not_found' } });
    }
  });

  test('erases what other calls have appended and merged between its calls', async () => {
    const ids: string[] = [];
    for (const name of ['kept', 'gone']) ids.push((await run(contact(`${name}@people.com`, 'Canaria'))).id);
    const [id = '', from = ''] = ids;
    const { erased } = await run(recordDeletion('contact', { id }, oneAtATime));
    expect(await remaining(id)).toBe(0);
    await run(contactUpdate(setup, { id }, changeOf('contact', { first_name: 'Songbird' })));
    await run(recordMerge('contact', { id, from, isDryRun: false, mergesOpportunities: false }));
    await run(recordDeletion('contact', { id }, { rows: 250, bytes: 1_000_000, erased }));
    expect(JSON.stringify(await eventsAfter(0))).not.toMatch(/canaria|songbird|@people/i);
  });

  test('that does not end within the time of a request keeps its progress and says so', async () => {
    const { id } = await run(contact('slow@acme.com', 'Canaria'));
    const work = (ms: number) =>
      deleteRecord(database, setup.organizationId, 'contact', { id }, origin, { batch: oneAtATime, ms });
    await expect(work(0)).rejects.toMatchObject({ reason: { kind: 'deletion_unfinished' } });
    expect(await remaining(id)).toBe(0);
    expect((await work(10_000)).result).toMatchObject({ id, is_deleted: true });
  });
});
