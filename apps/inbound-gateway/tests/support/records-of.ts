import {
  createAccount,
  createContact,
  createNote,
  createOpportunity,
  type OperationContract,
  updateAccount,
  updateContact,
  updateOpportunity,
} from '@crm/contract';
import type { TestGateway } from './gateway.js';

/** The version in a response's ETag. */
export const versionOf = ({ headers }: { readonly headers: Headers }): number =>
  Number(/^"(\d+)\.[0-9a-f]{20}"$/.exec(headers.get('etag') ?? '')?.[1]);

/** What a create did with its record. */
export const statusOf = ({ headers }: { readonly headers: Headers }): string | null => headers.get('x-record-status');

/** An id that no record has. */
export const unknownId = '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4';

/** Creates records, changes them, and reads what is stored. */
export const recordsOf = (gateway: () => TestGateway) => {
  const call = <C extends OperationContract>(contract: C, body: object, query?: Readonly<Record<string, string>>) =>
    gateway().client.call(contract, { body, query });
  const change =
    <C extends OperationContract>(contract: C) =>
    (id: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
      gateway().client.call(contract, { params: { id }, body, headers });
  return {
    create: call,
    /** The stored row of a record. */
    row: async (table: string, id: string) =>
      (await gateway().rows(`SELECT * FROM ${table} WHERE organization_id = $1 AND id = $2`, [id]))[0],
    /** Counts rows of the organization, such as `accounts WHERE domain = $2`. */
    countOf: async (condition: string, ...values: readonly unknown[]): Promise<unknown> => {
      const ofOrganization = condition.replace(
        / WHERE |$/,
        (where) => ` WHERE organization_id = $1${where && ' AND '}`,
      );
      return (await gateway().rows(`SELECT count(*)::int AS n FROM ${ofOrganization}`, values))[0]?.['n'];
    },
    note: async (note: object, on: object): Promise<string> => (await call(createNote, { note, ...on })).data.note_id,
    account: async (body: object): Promise<string> => (await call(createAccount, body)).data.company_id,
    contact: async (body: object): Promise<string> => (await call(createContact, body)).data.people_id,
    opportunity: async (opportunity: object, related: object = {}): Promise<string> => {
      const { pipeline } = gateway().organization;
      const body = { pipeline_id: pipeline.id, opportunity, related_objects: related };
      return (await call(createOpportunity, body)).data.opportunity_id;
    },
    changeAccount: change(updateAccount),
    changeContact: change(updateContact),
    changeOpportunity: change(updateOpportunity),
  };
};
