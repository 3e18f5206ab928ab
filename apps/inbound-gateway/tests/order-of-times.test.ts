import * as api from '@crm/contract';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { storedRecords } from './support/logged-records.js';
import { recordsOf } from './support/records-of.js';
import { useGateway } from './support/use-gateway.js';

const gateway = useGateway();
const { account, contact, note, opportunity, changeAccount, changeContact, changeOpportunity, create } =
  recordsOf(gateway);

interface TimedEvent extends Record<string, unknown> {
  readonly type: string;
  readonly key: string;
  readonly occurred_at: Date;
  readonly record: { readonly updated_at: string } | null;
}

/** The events after a position. */
const eventsAfter = (position: number): Promise<TimedEvent[]> =>
  gateway().rows<TimedEvent>(
    `SELECT type, object || ' ' || record_id AS key, occurred_at, record FROM events WHERE organization_id = $1 AND position > $2
      ORDER BY position`,
    [position],
  );

/** Makes the last event later than the clock, as if the clock had gone back. @returns its position and time */
const setLastEvent = async (ahead: string): Promise<{ readonly position: number; readonly occurred_at: Date }> => {
  const text = `UPDATE event_heads SET occurred_at = now() + $2::interval WHERE organization_id = $1
    RETURNING position::int, occurred_at`;
  const { rows } = await gateway().writeDatabase.pool.query<{ position: number; occurred_at: Date }>(text, [
    gateway().organization.id,
    ahead,
  ]);
  if (rows[0] === undefined) throw new Error('The organization has no event yet');
  return rows[0];
};

let number = 0;
const domain = (): string => `order${(number += 1)}.com`;
const remove = async (contract: typeof api.deleteAccount | typeof api.deleteOpportunity, id: string) =>
  ((await gateway().client.call(contract, { params: { id } })).data as { position: number }).position;

/** Every kind of write: prepares its records, and returns the call. */
const writes: Readonly<Record<string, () => Promise<() => Promise<unknown>>>> = {
  'create of a deal with new records': () => {
    const [first, second] = [domain(), domain()];
    const related = { primary_contact_email: `a@${first}`, additional_contact_emails: [`b@${second}`] };
    return Promise.resolve(() => opportunity({ name: 'New' }, related));
  },
  'create of a contact': () => Promise.resolve(() => contact({ email: `c@${domain()}` })),
  'bulk create': () => {
    const items = Array.from({ length: 3 }, () => ({ domain: domain() }));
    return Promise.resolve(() => create(api.bulkCreateAccounts, { items }));
  },
  'create that fills a name': async () => {
    const email = `d@${domain()}`;
    await contact({ email });
    return () => contact({ email, first_name: 'Dan' });
  },
  'update of an account': async () => {
    const id = await account({ domain: domain() });
    return () => changeAccount(id, { description: 'changed' });
  },
  'update of a contact': async () => {
    const id = await contact({ email: `e@${domain()}` });
    return () => changeContact(id, { first_name: 'Eva' });
  },
  'update of a deal': async () => {
    const id = await opportunity({ name: domain() });
    return () => changeOpportunity(id, { opportunity: { deal_size: 5 } });
  },
  'bulk update': async () => {
    const ids = [await account({ domain: domain() }), await account({ domain: domain() })];
    return () => create(api.bulkUpdateAccounts, { items: ids.map((id) => ({ id, industry: 'Steel' })) });
  },
  'update of a note': async () => {
    const [name, title] = [domain(), { title: 'Old' }];
    const id = await note(title, { account_domains: [name] });
    return () => gateway().client.call(api.updateNote, { params: { id }, body: { note: { title: 'New' } } });
  },
  'merge of accounts': async () => {
    const [kept, gone] = [domain(), domain()];
    const [id, from] = [await account({ domain: kept }), await account({ domain: gone, industry: 'Wood' })];
    for (const name of [kept, gone]) await opportunity({ name: 'Same' }, { account_domain: name });
    await opportunity({ name: 'Other' }, { primary_contact_email: `f@${gone}` });
    await note({ title: 'On it' }, { account_domains: [gone] });
    return () => gateway().client.call(api.mergeAccount, { params: { id }, body: { from, deals: 'merge' } });
  },
  'deletion of a contact': async () => {
    const email = `g@${domain()}`;
    const id = await contact({ email });
    await opportunity({ name: 'Stays' }, { primary_contact_email: email });
    await note({ title: 'Stays' }, { contact_emails: [email] });
    return () => gateway().client.call(api.deleteContact, { params: { id } });
  },
  'restore of an account': async () => {
    const position = await remove(api.deleteAccount, await account({ domain: domain() }));
    return () => gateway().client.call(api.restoreRecord, { body: { position } });
  },
  'restore of a deal': async () => {
    const position = await remove(api.deleteOpportunity, await opportunity({ name: domain() }));
    return () => gateway().client.call(api.restoreRecord, { body: { position } });
  },
};

beforeEach(async () => {
  // The counter of a new organization begins with its first event.
  await account({ domain: domain() });
});

describe('after an event with a later time than the clock', () => {
  test.each(Object.entries(writes))('a write gets the time of that event: %s', async (_name, prepare) => {
    const write = await prepare();
    const last = await setLastEvent('1 hour');
    await write();
    const events = await eventsAfter(last.position);
    const stored = await storedRecords(gateway().database, gateway().organization.id);
    expect(events.length).toBeGreaterThan(0);
    for (const { type, key, occurred_at: at, record } of events) {
      expect([type, at]).toEqual([type, last.occurred_at]);
      if (record === null) continue;
      expect([type, record.updated_at]).toEqual([type, last.occurred_at.toISOString()]);
      expect(stored.get(key)?.['updated_at'] ?? record.updated_at).toBe(record.updated_at);
    }
  });

  test('a write keeps its own time in updated_at if that is at most five seconds earlier', async () => {
    const { position, occurred_at: at } = await setLastEvent('4 seconds');
    await account({ domain: domain() });
    const [event] = await eventsAfter(position);
    const occurredMs = event?.occurred_at.getTime() ?? 0;
    const updatedMs = Date.parse(event?.record?.updated_at ?? '');
    expect(occurredMs).toBeGreaterThanOrEqual(at.getTime());
    expect(updatedMs).toBeLessThanOrEqual(occurredMs);
    expect(updatedMs).toBeGreaterThanOrEqual(occurredMs - 5_000);
  });
});
