import { readOperations as contracts } from '@crm/contract';
import type { TestRequest } from '@crm/testing';
import { describeEveryOperation } from '@crm/testing/suites';
import { afterAll, beforeAll } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { recordsOf } from './support/records.js';

let gateway: TestGateway;
const ids: Record<string, string> = {};

beforeAll(async () => {
  gateway = await startTestGateway();
  const records = recordsOf(
    () => gateway.database,
    () => gateway.organization,
  );
  ids['account'] = await records.addAccount('acme.example', 'Acme');
  ids['contact'] = await records.addContact('ann@acme.example', 'Ann', null);
  ids['opportunity'] = (await records.addDeals([{ name: 'Deal' }]))[0] ?? '';
  ids['note'] = await records.addNote('Note', ['acme.example']);
});
afterAll(() => gateway.stop());

const record = (name: string) => (): TestRequest => ({ params: { id: ids[name] ?? '' } });
const list = (): TestRequest => ({ query: 'limit=1' });
const search = (): TestRequest => ({ body: { query: 'two' } });
const summary = (): TestRequest => ({ body: { group_by: ['created_at:month'] } });

describeEveryOperation({
  contracts,
  gateway: () => gateway,
  goodRequests: {
    getAccount: record('account'),
    getAccountByDomain: () => ({ params: { domain: 'acme.example' } }),
    getContact: record('contact'),
    getContactByEmail: () => ({ params: { email: 'ann@acme.example' } }),
    getLatestPosition: () => ({}),
    getNote: record('note'),
    getOpportunity: record('opportunity'),
    listAccountDuplicates: list,
    listAccountFields: list,
    listAccountHistory: record('account'),
    listAccounts: list,
    listContactDuplicates: list,
    listContactFields: list,
    listContactHistory: record('contact'),
    listContacts: list,
    listEvents: list,
    listMembers: list,
    listNotes: list,
    listOpportunities: () => ({ query: `limit=1&pipeline_id=${gateway.organization.pipeline.id}` }),
    listOpportunityDuplicates: list,
    listOpportunityFields: list,
    listOpportunityHistory: record('opportunity'),
    listPipelines: list,
    listPipelineStages: () => ({ params: { id: gateway.organization.pipeline.id } }),
    searchAccounts: search,
    searchContacts: search,
    searchOpportunities: search,
    summarizeAccounts: summary,
    summarizeContacts: summary,
    summarizeOpportunities: summary,
  },
});
