// Only the compiler checks this file: names of fields, and the types that `fields` and custom fields give to records, bodies and events.
import { createClient, type CrmDate, type CrmDateRange, type CrmEvent, type CrmLocation } from '../src/index.js';

interface Fields {
  opportunities: { tier?: 'smb' | 'ent'; score: number; signed_on?: CrmDate; at?: CrmDate<number>; site?: CrmLocation };
  accounts: object;
  contacts: { since?: CrmDate; term?: CrmDateRange };
}

const options = { url: 'https://crm.example.com', apiKey: 'k' };
const id = '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4';
const plain = createClient(options);
const crm = createClient<Fields>(options);

/** `true` if both types are the same, otherwise `never`. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
const is = <B, A = unknown>(value: A, isSame: Same<A, B>): [A, boolean] => [value, isSame];

/** Fields narrow the records of lists, searches and gets. */
export const readNarrowed = async (pipeline_id: string, names: string[]): Promise<void> => {
  for await (const deal of plain.opportunities.list({ pipeline_id, fields: ['amount', 'custom__tier'] })) {
    is<number | null, typeof deal.amount>(deal.amount, true);
    is<string | null, typeof deal.name>(deal.name, true);
    // @ts-expect-error -- it was not asked for
    String(deal.currency);
  }
  for await (const deal of crm.opportunities.search({ fields: 'currency' })) {
    is<string | null, typeof deal.currency>(deal.currency, true);
    // @ts-expect-error -- it was not asked for
    String(deal.created_at);
  }
  for await (const { custom_fields } of crm.opportunities.list({ pipeline_id, fields: ['amount', 'custom__tier'] })) {
    is<'smb' | 'ent' | undefined, typeof custom_fields.tier>(custom_fields.tier, true);
    // @ts-expect-error -- it was not asked for
    String(custom_fields.score);
  }
  for await (const page of plain.accounts.list({ fields: ['version'] }).pages()) {
    for (const { version } of page.accounts) is<number, typeof version>(version, true);
  }
  for await (const contact of crm.contacts.list()) {
    is<string | undefined, typeof contact.custom_fields.since>(contact.custom_fields.since, true);
    // @ts-expect-error -- a list has the other fields only if they are asked for
    String(contact.phone);
  }
  const { data } = await crm.contacts.getByEmail('ada@acme.com', { fields: ['phone'] });
  is<string | null, typeof data.contact.phone>(data.contact.phone, true);
  // @ts-expect-error -- it was not asked for
  String(data.contact.version);
  // Names that are only known at run time are given the type of those that the program reads.
  for await (const { currency } of plain.opportunities.list({ pipeline_id, fields: names as 'currency'[] }))
    is<string | null, typeof currency>(currency, true);
  // A get by id returns every field.
  const whole = (await plain.opportunities.get(id)).data.opportunity;
  is<number, typeof whole.version>(whole.version, true);
};

/** Names of fields are those of the API and of the type parameter. */
export const checkNames = (pipeline_id: string): unknown[] => [
  crm.opportunities.list({ pipeline_id, fields: ['custom__tier', 'custom_fields'] }),
  plain.opportunities.list({ pipeline_id, fields: ['custom__any'] }),
  // @ts-expect-error -- a field of another object
  plain.accounts.list({ fields: ['amount'] }),
  // @ts-expect-error -- not declared
  crm.opportunities.list({ pipeline_id, fields: ['custom__teir'] }),
  // @ts-expect-error -- no custom fields are declared
  crm.accounts.get(id, { fields: ['custom__tier'] }),
  crm.opportunities.search({ sort: ['custom__score:desc', { field: 'amount' }, 'custom__site.city'] }),
  // @ts-expect-error -- no such field
  crm.opportunities.search({ sort: 'amuont:desc' }),
  // @ts-expect-error -- no such direction
  crm.opportunities.search({ sort: 'amount:down' }),
  // @ts-expect-error -- it has several values
  crm.opportunities.search({ sort: 'additional_contacts' }),
  crm.opportunities.search({
    filters: {
      or: [{ not: { field: 'account.domain', operator: 'empty' } }, { field: 'custom__tier', operator: 'empty' }],
    },
  }),
  crm.contacts.search({ filters: [{ field: 'custom__term.start', operator: 'gt', value: new Date() }] }),
  // @ts-expect-error -- no such field
  crm.opportunities.search({ filters: [{ or: [{ field: 'custom__teir', operator: 'empty' }] }] }),
  // @ts-expect-error -- no such part
  crm.opportunities.search({ filters: [{ field: 'custom__site.town', operator: 'empty' }] }),
  // @ts-expect-error -- a contact has no contact
  crm.contacts.search({ filters: [{ field: 'contact.email', operator: 'empty' }] }),
  // @ts-expect-error -- no such field
  crm.accounts.summarize({ filters: { field: 'amount', operator: 'gt', value: 1 } }),
];

/** Custom fields have their own types in responses and bodies. */
export const useCustomFields = async (pipeline_id: string): Promise<void> => {
  const { custom_fields } = (await crm.opportunities.get(id)).data.opportunity;
  is<'smb' | 'ent' | undefined, typeof custom_fields.tier>(custom_fields.tier, true);
  is<number, typeof custom_fields.score>(custom_fields.score, true);
  is<string, CrmDate>('2026-01-01', true);
  const site = { city: 'Berlin' };
  await crm.opportunities.create({
    pipeline_id,
    opportunity: { name: 'A', close_date: new Date(), custom_fields: { tier: 'ent', score: null, site } },
  });
  const dates = { signed_on: new Date(), at: new Date() };
  await crm.opportunities.bulkUpdate([{ id, opportunity: { custom__score: 3, custom_fields: dates } }]);
  // @ts-expect-error -- no such option
  await crm.opportunities.update(id, { opportunity: { custom_fields: { tier: 'large' } } });
  // @ts-expect-error -- no such option
  await crm.opportunities.update(id, { opportunity: { custom__tier: 'large' } });
  // @ts-expect-error -- it holds no date
  await crm.opportunities.update(id, { opportunity: { custom__score: new Date() } });
  // @ts-expect-error -- no such field
  await crm.contacts.update(id, { custom_fields: { sinse: '2026-01-01' } });
  // @ts-expect-error -- no such field
  await crm.contacts.create({ email: 'ada@acme.com', custom__sinse: '2026-01-01' });
  await crm.contacts.create({ email: 'ada@acme.com', custom__since: null, custom__term: { start: new Date() } });
  await plain.contacts.create({ email: 'ada@acme.com', custom__any: 1, custom_fields: { any: 1 } });
};

/** Events are a union by object. */
export const readEvents = async (event: CrmEvent<Fields>): Promise<void> => {
  if (event.object === 'opportunity') {
    const tier = event.record?.custom_fields.tier;
    is<'smb' | 'ent' | undefined, typeof tier>(tier, true);
    const ids = event.record?.additional_contact_ids;
    is<string[] | undefined, typeof ids>(ids, true);
    is<`opportunity.${'created' | 'updated' | 'deleted' | 'merged' | 'restored'}`, typeof event.type>(event.type, true);
    // @ts-expect-error -- events have no names of other records
    String(event.record?.account_name);
  }
  for await (const { record, previous } of crm.events.iterate({ object: 'contact' })) {
    const email = record?.email;
    is<string | undefined, typeof email>(email, true);
    const since = previous?.custom_fields?.since;
    is<string | null | undefined, typeof since>(since, true);
  }
  for await (const { object, record } of crm.accounts.history(id)) {
    is<'account', typeof object>(object, true);
    // @ts-expect-error -- no custom fields are declared
    String(record?.custom_fields.tier);
  }
  const { data } = await crm.events.list({ object: 'note' });
  const contents = data.events.map(({ record }) => record?.content);
  is<(string | null | undefined)[], typeof contents>(contents, true);
};
