import { listNotes, searchAccounts, searchContacts, searchOpportunities } from '@crm/contract';
import { guardWalk, type TestClient } from '@crm/testing';
import type { ModelState } from './state.js';

const sorted = (rows: readonly object[]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/** A state as plain rows, with natural keys only. */
export const describeModels = (states: readonly ModelState[]) => {
  const accounts = states.flatMap((state) => state.accounts);
  const contacts = states.flatMap((state) => state.contacts);
  const deals = states.flatMap((state) => state.deals);
  const ofAccounts = accounts.map(({ domain, name, industry, score, version }) => ({
    ...{ domain, name, industry, score, version },
  }));
  return {
    // All lanes create the accounts of mail providers, which are the same accounts.
    accounts: [...new Set(sorted(ofAccounts))],
    contacts: sorted(
      contacts.map(({ email, first_name, last_name, score, account, version }) => ({
        ...{ email, first_name, last_name, score, account: account.domain, version },
      })),
    ),
    deals: sorted(
      deals.map(
        ({ name, account, primary, additional, amount, currency, next_step, stage, score, notes, version }) => ({
          ...{ name, account: account?.domain ?? null, primary: primary?.email ?? null },
          additional: additional.map(({ email }) => email),
          ...{ amount, currency, next_step, stage: stage.label, score, version },
          ...{ outcome: stage.outcome, closes: stage.outcome !== 'open', notes: [...notes].sort() },
        }),
      ),
    ),
    inEuros: deals.filter(({ currency }) => currency === 'EUR').length,
  };
};

interface ReadRecord {
  readonly id: string;
  readonly custom_fields: { readonly score?: number };
  readonly [field: string]: unknown;
}

type Search = typeof searchAccounts | typeof searchContacts | typeof searchOpportunities;

/** All records of an object, page by page. */
const walk = async (
  client: TestClient,
  search: Search,
  name: string,
  fields: string,
  more: object = {},
): Promise<ReadRecord[]> => {
  const records: ReadRecord[] = [];
  const guarded = guardWalk();
  let cursor: string | null = null;
  do {
    const selected = { limit: 10, sort: 'created_at', fields: `${fields},custom_fields`, ...more };
    const body = { ...selected, ...(cursor === null ? {} : { cursor }) };
    const { data } = await client.call(search, { body });
    const page = data as unknown as Readonly<Record<string, ReadRecord[]>> & { readonly next_cursor: string | null };
    records.push(...(page[name] ?? []));
    cursor = guarded(page.next_cursor);
  } while (cursor !== null);
  return records;
};

/** The titles of the notes on each deal, by its id. */
const readNotes = async (client: TestClient): Promise<ReadonlyMap<string, string[]>> => {
  const titles = new Map<string, string[]>();
  const guarded = guardWalk();
  let cursor: string | null = null;
  do {
    const query: Record<string, string> = { limit: '500', ...(cursor === null ? {} : { cursor }) };
    const { data } = await client.call(listNotes, { query });
    for (const { title, opportunity_ids: ids } of data.notes)
      for (const id of ids) titles.set(id, [...(titles.get(id) ?? []), title ?? '']);
    cursor = guarded(data.next_cursor);
  } while (cursor !== null);
  return titles;
};

const scoreOf = ({ custom_fields: { score } }: ReadRecord): number | null => score ?? null;

/** The state of an organization as the read gateway shows it, in the same form. */
export const readState = async (client: TestClient) => {
  const accounts = await walk(client, searchAccounts, 'accounts', 'industry,version');
  const contacts = await walk(client, searchContacts, 'contacts', 'version');
  const dealFields =
    'amount,currency,next_step,account_domain,contact_email,version,outcome,stage_entered_at,closed_at';
  const deals = await walk(client, searchOpportunities, 'opportunities', dealFields);
  const inEuros = { filters: { field: 'currency', operator: 'eq', value: 'EUR' } };
  const euros = await walk(client, searchOpportunities, 'opportunities', 'currency', inEuros);
  const notes = await readNotes(client);
  const domains = new Map(accounts.map(({ id, domain }) => [id, domain]));
  return {
    accounts: sorted(
      accounts.map((one) => ({
        ...{ domain: one['domain'], name: one['name'], industry: one['industry'] },
        ...{ score: scoreOf(one), version: one['version'] },
      })),
    ),
    contacts: sorted(
      contacts.map((one) => ({
        ...{ email: one['email'], first_name: one['first_name'], last_name: one['last_name'], score: scoreOf(one) },
        ...{ account: domains.get(String(one['account_id'])) ?? null, version: one['version'] },
      })),
    ),
    deals: sorted(
      deals.map((one) => ({
        ...{ name: one['name'], account: one['account_domain'], primary: one['contact_email'] },
        additional: (one['additional_contacts'] as readonly { contact_email: string }[]).map(
          (link) => link.contact_email,
        ),
        ...{ amount: one['amount'], currency: one['currency'], next_step: one['next_step'], stage: one['stage_name'] },
        ...{ score: scoreOf(one), version: one['version'] },
        ...{ outcome: one['outcome'], closes: one['closed_at'] === one['stage_entered_at'] },
        notes: (notes.get(one.id) ?? []).sort(),
      })),
    ),
    inEuros: euros.length,
  };
};
