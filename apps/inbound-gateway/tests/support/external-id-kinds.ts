import {
  bulkCreateAccounts,
  bulkCreateContacts,
  bulkCreateOpportunities,
  type BulkResults,
  createAccount,
  createContact,
  createOpportunity,
  type OperationContract,
  updateAccount,
  updateContact,
  updateOpportunity,
} from '@crm/contract';
import type { Answer } from '@crm/testing';
import type { TestGateway } from './gateway.js';

/** The fields of one record in a body. */
export type Fields = Readonly<Record<string, unknown>>;

/** How the tests write one kind of record. `key`: an unused natural key; `change`: another field. */
export interface Kind {
  readonly name: string;
  readonly table: string;
  readonly create: OperationContract;
  readonly update: OperationContract;
  readonly bulkCreate: OperationContract;
  /** The dotted paths of the external id and of the natural key. */
  readonly paths: { readonly externalId: string; readonly key: string; readonly change: string };
  readonly key: (label: string) => Fields;
  readonly change: (text: string) => Fields;
  readonly body: (fields: Fields, pipelineId: string) => Fields;
  /** The columns of the natural key and of the changed field. */
  readonly columns: { readonly key: string; readonly change: string };
  readonly idOf: (answer: Answer) => string;
}

const idUnder = (name: string) => (answer: Answer) => (answer.data as Readonly<Record<string, string>>)[name] ?? '';

export const account: Kind = {
  name: 'account',
  table: 'accounts',
  create: createAccount,
  update: updateAccount,
  bulkCreate: bulkCreateAccounts,
  paths: { externalId: 'external_id', key: 'domain', change: 'industry' },
  key: (label) => ({ domain: `${label}.example` }),
  change: (text) => ({ industry: text }),
  body: (fields) => fields,
  columns: { key: 'domain', change: 'industry' },
  idOf: idUnder('company_id'),
};
export const contact: Kind = {
  name: 'contact',
  table: 'contacts',
  create: createContact,
  update: updateContact,
  bulkCreate: bulkCreateContacts,
  paths: { externalId: 'external_id', key: 'email', change: 'job_title' },
  key: (label) => ({ email: `ann@${label}.example` }),
  change: (text) => ({ job_title: text }),
  body: (fields) => fields,
  columns: { key: 'email', change: 'job_title' },
  idOf: idUnder('people_id'),
};
export const opportunity: Kind = {
  name: 'opportunity',
  table: 'opportunities',
  create: createOpportunity,
  update: updateOpportunity,
  bulkCreate: bulkCreateOpportunities,
  paths: { externalId: 'opportunity.external_id', key: 'opportunity.name', change: 'opportunity.next_step' },
  key: (label) => ({ name: label }),
  change: (text) => ({ next_step: text }),
  body: (fields, pipelineId) => ({ pipeline_id: pipelineId, opportunity: fields }),
  columns: { key: 'name', change: 'next_step' },
  idOf: idUnder('opportunity_id'),
};

export const statusOf = ({ headers }: Answer) => headers.get('x-record-status');
export const resultsOf = (answer: Answer) => (answer.data as BulkResults).results;
export const warnedOf = ({ body }: Answer) =>
  (body.warnings as { field: string }[] | undefined)?.map(({ field }) => field);

/** Calls for records with external ids, and queries for what is stored. */
export const externalIdCalls = (gateway: () => TestGateway) => {
  const create = (kind: Kind, fields: Fields, onMatch?: string): Promise<Answer> =>
    gateway().client.call(kind.create, {
      body: kind.body(fields, gateway().organization.pipeline.id),
      ...(onMatch !== undefined && { query: { on_match: onMatch } }),
    });
  const update = ({ name, update: contract }: Kind, id: string, fields: Fields): Promise<Answer> =>
    gateway().client.call(contract, {
      params: { id },
      body: name === 'opportunity' ? { opportunity: fields } : fields,
    });
  const bulk = (kind: Kind, items: readonly Fields[], onMatch = 'keep', query: Fields = {}): Promise<Answer> =>
    gateway().client.call(kind.bulkCreate, {
      body: { items: items.map((fields) => kind.body(fields, gateway().organization.pipeline.id)) },
      query: { on_match: onMatch, ...query },
    });
  const stored = async ({ table }: Kind, id: string) =>
    (await gateway().rows(`SELECT * FROM ${table} WHERE organization_id = $1 AND id = $2`, [id]))[0];
  const countOf = async ({ table }: Kind, externalId: string) =>
    (await gateway().rows(`SELECT id FROM ${table} WHERE organization_id = $1 AND external_id = $2`, [externalId]))
      .length;
  return { create, update, bulk, stored, countOf };
};
