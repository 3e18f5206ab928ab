import { randomUUID } from 'node:crypto';
import {
  bulkCreateAccounts,
  bulkCreateContacts,
  bulkCreateOpportunities,
  type BulkResults,
  buildOpenApiDocument,
  inboundOperations as contracts,
  type OperationContract,
} from '@crm/contract';
import { addMemberChange, createStageChange, defineFieldChange, type SetupChange } from '@crm/db';
import type { TestClient, TestRequest } from '@crm/testing';
import { describeEveryOperation, setupTools } from '@crm/testing/suites';
import { expect, test } from '@jest/globals';
import type { TestGateway } from './support/gateway.js';
import { useGateway } from './support/use-gateway.js';

/** More than the requests of one operation without a body, because each request to delete names another record. */
const stockSize = 16;
/** The same for an operation with a body. */
const replays = 24;

let deletion: number;
let fieldId: string;
/** Records that requests may delete. */
const stock: Record<string, string[]> = {};
let count = 0;

const dealOf = (name: string) => ({ pipeline_id: gateway().organization.pipeline.id, opportunity: { name } });
const numbers = (name: string): number[] =>
  Array.from({ length: name === 'replayed' ? replays : stockSize }, (_, index) => index);

/** The path and the body of a create for each kind of record in the stock that no bulk call or change of the setup creates. */
const creates: Readonly<Record<string, readonly [path: string, body: object]>> = {
  note: ['notes', { note: { title: 'T' }, account_domains: ['noted.example'] }],
  webhook: ['webhooks', { url: 'https://hooks.example.com/crm' }],
  replayed: ['webhooks', { url: 'https://hooks.example.com/crm' }],
};

/** The bulk call and the items of each kind of record that one creates. */
const bulkCreates: Readonly<Record<string, readonly [contract: OperationContract, itemOf: (n: number) => object]>> = {
  account: [bulkCreateAccounts, (n) => ({ domain: `stock${n}.example` })],
  contact: [bulkCreateContacts, (n) => ({ email: `ann${n}@people.example` })],
  opportunity: [bulkCreateOpportunities, (n) => dealOf(`Stock ${n}`)],
};

/** The change that creates one part of the setup of each kind. */
const setUps: Readonly<Record<string, (id: string, n: number) => SetupChange>> = {
  member: (id, n) => addMemberChange(id, { email: `m${n}@team.example`, name: `Member ${n}` }),
  stage: (id, n) => createStageChange(id, gateway().organization.pipeline.id, { label: `Spare ${n}` }, undefined),
  field: (id, n) => {
    const field = { objectType: 'account', attributeType: 'string', metadata: null, pipelineIds: null } as const;
    return defineFieldChange(id, { ...field, name: 'Spare', slug: `spare_${n}`, isHidden: false });
  },
};

/** Creates a record. @returns its id: `company_id` of an account, `member.member_id` of a member */
const createRecord = async (client: TestClient, path: string, body: object): Promise<string> => {
  const { data } = await client.send('POST', `/v1/inbound/${path}`, { body });
  const [[name, value] = ['', '']] = Object.entries(data as Record<string, string | Record<string, string>>);
  return (typeof value === 'string' ? value : value[`${name}_id`]) ?? '';
};

/** Creates the stock. */
const fillStock = async ({ client, database, organization }: TestGateway): Promise<void> => {
  for (const [name, [contract, itemOf]] of Object.entries(bulkCreates)) {
    const { data } = await client.call(contract, { body: { items: numbers(name).map(itemOf) } });
    stock[name] = (data as BulkResults).results.map((result) => ('id' in result ? String(result.id) : ''));
  }
  const changes = Object.entries(setUps).flatMap(([name, changeOf]) => {
    const ids = numbers(name).map(() => randomUUID());
    stock[name] = ids;
    return ids.map(changeOf);
  });
  await setupTools(database).changeSetup(organization.id, changes);
  for (const [name, [path, body]] of Object.entries(creates)) {
    const ids: string[] = [];
    // One at a time. On a busy machine, the last of many set-up changes at once would wait too long for the others.
    for (let n = 0; n < numbers(name).length; n += 1) ids.push(await createRecord(client, path, body));
    stock[name] = ids;
  }
};

const gateway = useGateway(async (started) => {
  const { client, rows } = started;
  await fillStock(started);
  const field = { object: 'account', current_name: 'Tier', slug: 'tier', attribute_type: 'select' };
  fieldId = await createRecord(client, 'fields', { ...field, options: [{ label: 'One', value: 'one' }] });
  await client.send('DELETE', `/v1/inbound/accounts/${stock['account']?.pop()}`);
  const text = 'SELECT position::int FROM event_heads WHERE organization_id = $1';
  const [head] = await rows<{ position: number }>(text);
  deletion = head?.position ?? 0;
});

const next = (): number => (count += 1);
/** The last records of the stock stay. */
const kept = (name: string): string => stock[name]?.[0] ?? '';
const change = (name: string, body: object) => (): TestRequest => ({ params: { id: kept(name) }, body });
const deleted = (name: string) => (): TestRequest => ({ params: { id: stock[name]?.pop() ?? '' } });
/** A dry run can be repeated. */
const merge = (name: string) => (): TestRequest => ({
  params: { id: kept(name) },
  body: { from: stock[name]?.[1], dry_run: true },
});
const bulk = (item: () => object) => (): TestRequest => ({ body: { items: [item()] } });

const goodRequests: Readonly<Record<string, () => TestRequest>> = {
  createAccount: () => ({ body: { domain: 'same.example', name: 'Same' } }),
  createContact: () => ({ body: { email: 'same@same.example', first_name: 'Ann' } }),
  createOpportunity: () => ({ body: { ...dealOf('Same'), related_objects: { account_domain: 'same.example' } } }),
  createNote: () => ({ body: { note: { title: 'T', content: 'C' }, account_domains: ['same.example'] } }),
  bulkCreateAccounts: bulk(() => ({ domain: 'same.example' })),
  bulkCreateContacts: bulk(() => ({ email: 'same@same.example' })),
  bulkCreateOpportunities: bulk(() => dealOf('Same')),
  bulkUpdateAccounts: bulk(() => ({ id: kept('account'), industry: 'Steel' })),
  bulkUpdateContacts: bulk(() => ({ id: kept('contact'), last_name: 'Lee' })),
  bulkUpdateOpportunities: bulk(() => ({ id: kept('opportunity'), opportunity: { deal_size: 5 } })),
  updateAccount: change('account', { industry: 'Steel' }),
  updateContact: change('contact', { last_name: 'Lee' }),
  updateOpportunity: change('opportunity', { opportunity: { next_step: 'Call' } }),
  updateNote: change('note', { note: { content: 'C' } }),
  mergeAccount: merge('account'),
  mergeContact: merge('contact'),
  deleteAccount: deleted('account'),
  deleteContact: deleted('contact'),
  deleteOpportunity: deleted('opportunity'),
  deleteNote: deleted('note'),
  // A second restore is a conflict. With an Idempotency-Key it gets the first answer.
  restoreRecord: () => ({ body: { position: deletion }, headers: { 'idempotency-key': 'restore' } }),
  createPipeline: () => ({ body: { name: `Pipeline ${next()}`, stages: [{ label: 'Open' }] } }),
  updatePipeline: () => ({ params: { id: gateway().organization.pipeline.id }, body: { name: 'Sales' } }),
  createStage: () => ({ params: { id: gateway().organization.pipeline.id }, body: { label: `Stage ${next()}` } }),
  updateStage: () => ({
    params: { id: gateway().organization.pipeline.stages[0]?.id ?? '' },
    body: { label: 'First' },
  }),
  deleteStage: deleted('stage'),
  createField: () => ({
    body: { object: 'contact', current_name: 'Field', slug: `field_${next()}`, attribute_type: 'string' },
  }),
  updateField: () => ({ params: { id: fieldId }, body: { current_name: 'Tier' } }),
  deleteField: deleted('field'),
  createFieldOption: () => ({ params: { id: fieldId }, body: { label: `Option ${next()}` } }),
  updateFieldOption: () => ({ params: { id: fieldId }, body: { value: 'one', label: 'Uno' } }),
  createMember: () => ({ body: { email: `new${next()}@team.example`, name: 'New' } }),
  updateMember: () => ({ params: { id: kept('member') }, body: { name: 'Renamed' } }),
  deleteMember: deleted('member'),
  createWebhook: () => ({ body: { url: 'https://hooks.example.com/crm' } }),
  updateWebhook: change('webhook', { payload: 'thin' }),
  deleteWebhook: deleted('webhook'),
  testWebhook: () => ({ params: { id: kept('webhook') } }),
  // One replay at a time, and no worker runs.
  replayWebhook: () => ({ params: { id: stock['replayed']?.pop() ?? '' }, body: { from: 1 } }),
  skipWebhookEvents: () => ({ params: { id: kept('webhook') }, body: { parked: true } }),
  rotateWebhookSecret: () => ({ params: { id: kept('webhook') } }),
};

describeEveryOperation({ contracts, gateway, goodRequests });

const document = buildOpenApiDocument('inbound', contracts) as {
  paths: Record<string, Record<string, { responses: Record<string, { headers: object }> }>>;
};
/** Only in answers to repeated requests. */
const optionalHeaders = ['Idempotent-Replayed'];

test.each(contracts)('R21: $id answers 200 with every header of its documentation', async (contract) => {
  const { key } = await gateway().organization.createKey({ limits: { inbound: 100, bulk: 100 } });
  const { status, headers } = await gateway().client.call(contract, { ...goodRequests[contract.id]?.(), key });
  const documented = Object.keys(document.paths[contract.path]?.[contract.method]?.responses['200']?.headers ?? {});
  const missing = documented.filter((name) => !headers.has(name) && !optionalHeaders.includes(name));
  expect([status, missing]).toEqual([200, []]);
});
