import * as contracts from '@crm/contract';
import type { Answer } from '@crm/testing';
import type { ReplicatedGateways } from './replicated-gateways.js';
import { pageIn } from './subject.js';

type Headers = Readonly<Record<string, string>>;

/** A write, and a read that shows whether it sees the write. */
export interface Step {
  readonly name: string;
  readonly write: () => Promise<Answer>;
  readonly sees: (headers: Headers) => Promise<boolean>;
}

/** Writes of every kind on the records of one round, each with a read whose answer the write changes. */
export const replicaSteps = ({ inbound, read, organization }: ReplicatedGateways, round: string): readonly Step[] => {
  const domain = `r${round}.example`;
  const email = `ann@${domain}`;
  const ids = new Map<string, string>();
  const id = (name: string): string => ids.get(name) ?? '';
  const keep = (name: string, key: string) => (answer: Answer) => {
    ids.set(name, (answer.body.data as Record<string, string>)[key] ?? '');
    return answer;
  };
  const finds = async (collection: string, filters: object, headers: Headers): Promise<boolean> => {
    const answer = await read.send('POST', `/v1/${collection}/search`, { body: { filters }, headers });
    return (pageIn(answer)[collection] ?? []).length > 0;
  };
  const is = (field: string, value: string) => ({ field, operator: 'eq', value });
  const noteCount = async (headers: Headers): Promise<number> =>
    (await read.call(contracts.listNotes, { query: { contact_id: id('contact') }, headers })).data.notes.length;
  const deal = {
    pipeline_id: organization.pipeline.id,
    opportunity: { name: `Deal ${round}` },
    related_objects: { account_domain: domain, primary_contact_email: email },
  };
  const note = { body: { note: { title: round }, contact_emails: [email] }, headers: { 'idempotency-key': round } };
  const account = { domain, industry: 'Tools' };
  const createAccount = () => inbound.call(contracts.createAccount, { body: account });
  return [
    ...['create an account', 'repeat it, which only reads'].map((name): Step => {
      const write = async () => keep('account', 'company_id')(await createAccount());
      return { name, write, sees: (headers) => finds('accounts', is('domain', domain), headers) };
    }),
    {
      name: 'create a contact',
      write: async () => keep('contact', 'people_id')(await inbound.call(contracts.createContact, { body: { email } })),
      sees: (headers) => finds('contacts', is('email', email), headers),
    },
    {
      name: 'create an opportunity',
      write: async () =>
        keep('opportunity', 'opportunity_id')(await inbound.call(contracts.createOpportunity, { body: deal })),
      sees: (headers) => finds('opportunities', is('name', `Deal ${round}`), headers),
    },
    ...['create a note', 'repeat it under its key'].map((name): Step => {
      const write = async () => keep('note', 'note_id')(await inbound.call(contracts.createNote, note));
      return { name, write, sees: async (headers) => (await noteCount(headers)) === 1 };
    }),
    ...(['account', 'contact', 'opportunity'] as const).map((object): Step => {
      const field = { account: 'industry', contact: 'job_title', opportunity: 'next_step' }[object];
      const change = { [field]: `changed ${round}` };
      const body = object === 'opportunity' ? { opportunity: change } : change;
      const collection = { account: 'accounts', contact: 'contacts', opportunity: 'opportunities' }[object];
      return {
        name: `update the ${object}`,
        write: () => inbound.send('PATCH', `/v1/inbound/${collection}/${id(object)}`, { body }),
        sees: async (headers) => {
          const answer = await read.send('GET', `/v1/${collection}/${id(object)}`, { headers });
          return answer.text.includes(`"changed ${round}"`);
        },
      };
    }),
    {
      name: 'create many',
      write: () =>
        inbound.call(contracts.bulkCreateAccounts, {
          body: { items: [{ domain: `a.${domain}` }, { domain: `b.${domain}` }, { domain: 'x' }] },
        }),
      sees: (headers) => finds('accounts', is('domain', `b.${domain}`), headers),
    },
    {
      name: 'update many',
      write: () =>
        inbound.call(contracts.bulkUpdateAccounts, { body: { items: [{ id: id('account'), employee_range: round }] } }),
      sees: (headers) => finds('accounts', is('employee_range', round), headers),
    },
    ...(['note', 'opportunity', 'contact'] as const).map((kind): Step => {
      const collection = { note: 'notes', opportunity: 'opportunities', contact: 'contacts' }[kind];
      return {
        name: `delete the ${kind}`,
        write: () => inbound.send('DELETE', `/v1/inbound/${collection}/${id(kind)}`),
        sees: async (headers) => {
          if (kind === 'note') return (await noteCount(headers)) === 0;
          return !(await finds(collection, is('id', id(kind)), headers));
        },
      };
    }),
  ];
};
