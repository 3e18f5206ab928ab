// Only the compiler checks this file: `fields` narrows records, and a type parameter gives custom fields their types.
import { createClient, type Opportunity } from '../src/index.js';

interface Fields {
  opportunities: { tier?: 'smb' | 'ent'; score: number };
  accounts: object;
  contacts: { since?: string };
}

const options = { readUrl: 'https://crm.example.com', apiKey: 'k' };
const id = '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4';

/** `true` if both types are the same, otherwise `never`. */
type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;
const is = <B, A = unknown>(value: A, isSame: Same<A, B>): [A, boolean] => [value, isSame];

/** Fields narrow the records of lists, searches and gets. */
export const readNarrowed = async (pipeline_id: string, names: string[]): Promise<void> => {
  const crm = createClient(options);
  for await (const deal of crm.opportunities.list({ pipeline_id, fields: ['amount', 'custom__tier'] })) {
    is<number | null, typeof deal.amount>(deal.amount, true);
    is<string | null, typeof deal.name>(deal.name, true);
    // @ts-expect-error -- it was not asked for
    String(deal.currency);
  }
  for await (const deal of crm.opportunities.search({ fields: 'amount,currency' })) {
    is<string | null, typeof deal.currency>(deal.currency, true);
    // @ts-expect-error -- it was not asked for
    String(deal.created_at);
  }
  for await (const page of crm.accounts.list({ fields: ['version'] }).pages()) {
    for (const { version } of page.accounts) is<number, typeof version>(version, true);
  }
  const { data } = await crm.contacts.get(id, { fields: ['phone'] });
  is<string | null, typeof data.contact.phone>(data.contact.phone, true);
  // @ts-expect-error -- it was not asked for
  String(data.contact.version);
  // Names that are only known at run time narrow nothing.
  for await (const deal of crm.opportunities.list({ pipeline_id, fields: names }))
    is<Opportunity, typeof deal>(deal, true);
  // A get by id returns every field.
  const whole = (await crm.opportunities.get(id)).data.opportunity;
  is<number, typeof whole.version>(whole.version, true);
};

/** Custom fields have their own types in responses and bodies. */
export const useCustomFields = async (pipeline_id: string): Promise<void> => {
  const crm = createClient<Fields>(options);
  const { custom_fields } = (await crm.opportunities.get(id)).data.opportunity;
  is<'smb' | 'ent' | undefined, typeof custom_fields.tier>(custom_fields.tier, true);
  is<number, typeof custom_fields.score>(custom_fields.score, true);
  await crm.opportunities.create({
    pipeline_id,
    opportunity: { name: 'A', custom_fields: { tier: 'ent', score: null } },
  });
  // @ts-expect-error -- no such option
  await crm.opportunities.update(id, { opportunity: { custom_fields: { tier: 'large' } } });
  // @ts-expect-error -- no such field
  await crm.contacts.update(id, { custom_fields: { sinse: '2026-01-01' } });
  await crm.contacts.create({ email: 'ada@acme.com', custom__since: '2026-01-01' });
};
