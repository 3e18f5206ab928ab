import { type OperationContract, readOperations as contracts } from '@crm/contract';
import type { TestRequest } from '@crm/testing';
import { describeEveryOperation } from '@crm/testing/suites';
import { beforeAll } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';

const gateway = useGateway(startTestGateway);
/** The id of a record, by its collection in paths. */
const ids: Record<string, string> = {};

beforeAll(async () => {
  const { addAccount, addContact, addDeals, addNote, addWebhook } = gateway.records();
  ids['accounts'] = await addAccount('acme.example', 'Acme');
  ids['contacts'] = await addContact('ann@acme.example', 'Ann', null);
  ids['opportunities'] = (await addDeals([{ name: 'Deal' }]))[0] ?? '';
  ids['notes'] = await addNote({ title: 'Note', domains: ['acme.example'] });
  ids['pipelines'] = gateway.organization.pipeline.id;
  ids['webhooks'] = await addWebhook('');
});

const goodRequest = ({ id, path }: OperationContract): TestRequest => {
  if (path.endsWith('/summary')) return { body: { group_by: ['created_at:month'] } };
  if (id === 'summarizeStages') return { body: { pipeline_id: gateway.organization.pipeline.id } };
  if (path.endsWith('/search')) return { body: { query: 'two' } };
  if (id === 'listOpportunities') return { query: `limit=1&pipeline_id=${gateway.organization.pipeline.id}` };
  if (path.endsWith('/schema')) return {};
  if (!path.includes('{')) return id === 'getLatestPosition' || id === 'getKey' ? {} : { query: 'limit=1' };
  const [, collection = ''] = /^\/v1\/(\w+)\//.exec(path) ?? [];
  return { params: { id: ids[collection] ?? '', domain: 'acme.example', email: 'ann@acme.example' } };
};

describeEveryOperation({
  contracts,
  gateway: () => gateway,
  goodRequests: Object.fromEntries(contracts.map((contract) => [contract.id, () => goodRequest(contract)])),
});
