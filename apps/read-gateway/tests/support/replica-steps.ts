import * as contracts from '@crm/contract';
import type { Answer } from '@crm/testing';
import type { ReplicatedGateways } from './replicated-gateways.js';

type Headers = Readonly<Record<string, string>>;

/** A write, and a read that shows whether it sees the write. */
export interface Step {
  readonly name: string;
  readonly write: () => Promise<Answer>;
  readonly sees: (headers: Headers) => Promise<boolean>;
}

/** Writes on the records of one round, each with a read whose answer the write changes. */
export const replicaSteps = ({ inbound, read }: ReplicatedGateways, round: string): readonly Step[] => {
  const domain = `r${round}.example`;
  const email = `ann@${domain}`;
  const ids = new Map<string, string>();
  const id = (name: string): string => ids.get(name) ?? '';
  const keep = (name: string, key: string) => (answer: Answer) => {
    ids.set(name, (answer.body.data as Record<string, string>)[key] ?? '');
    return answer;
  };
  const finds = async (value: string, headers: Headers, field = 'domain'): Promise<boolean> => {
    const body = { filters: { field, operator: 'eq', value } };
    return (await read.call(contracts.searchAccounts, { body, headers })).data.accounts.length > 0;
  };
  const noteCount = async (headers: Headers): Promise<number> =>
    (await read.call(contracts.listNotes, { query: { q: round }, headers })).data.notes.length;
  const note = { body: { note: { title: round }, contact_emails: [email] }, headers: { 'idempotency-key': round } };
  const createAccount = () => inbound.call(contracts.createAccount, { body: { domain, industry: 'Tools' } });
  return [
    ...['create an account', 'repeat it, which only reads'].map((name): Step => {
      const write = async () => keep('account', 'company_id')(await createAccount());
      return { name, write, sees: (headers) => finds(domain, headers) };
    }),
    ...['create a note', 'repeat it under its key'].map((name): Step => {
      const write = async () => keep('note', 'note_id')(await inbound.call(contracts.createNote, note));
      return { name, write, sees: async (headers) => (await noteCount(headers)) === 1 };
    }),
    {
      name: 'update the account',
      write: () => inbound.send('PATCH', `/v1/inbound/accounts/${id('account')}`, { body: { industry: round } }),
      sees: (headers) => finds(round, headers, 'industry'),
    },
    {
      name: 'create many',
      write: () =>
        inbound.call(contracts.bulkCreateAccounts, {
          body: { items: [{ domain: `a.${domain}` }, { domain: `b.${domain}` }, { domain: 'x' }] },
        }),
      sees: (headers) => finds(`b.${domain}`, headers),
    },
    {
      name: 'delete the note',
      write: () => inbound.send('DELETE', `/v1/inbound/notes/${id('note')}`),
      sees: async (headers) => (await noteCount(headers)) === 0,
    },
  ];
};
