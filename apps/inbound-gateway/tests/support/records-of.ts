import {
  createAccount,
  createContact,
  createOpportunity,
  type OperationContract,
  updateAccount,
  updateContact,
  updateOpportunity,
} from '@crm/contract';
import type { TestGateway } from './gateway.js';

/** The version in a response's ETag. */
export const versionOf = ({ headers }: { readonly headers: Headers }): number =>
  Number(/^"(\d+)"$/.exec(headers.get('etag') ?? '')?.[1]);

/** An id that no record has. */
export const unknownId = '0197a3c4-6cc1-7aa2-8e5d-3c2b1a09f8e4';

/** Creates records and changes them. */
export const recordsOf = (gateway: () => TestGateway) => {
  const call = <C extends OperationContract>(contract: C, body: object, query?: Readonly<Record<string, string>>) =>
    gateway().client.call(contract, { body, query });
  const change =
    <C extends OperationContract>(contract: C) =>
    (id: string, body: object, headers: Readonly<Record<string, string>> = {}) =>
      gateway().client.call(contract, { params: { id }, body, headers });
  return {
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
