import * as contracts from '@crm/contract';
import { setupTools } from '@crm/testing/suites';
import { type Answer, createTestClient, readTestStack, type TestClient } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, useGateway } from './support/gateway.js';
import { pageIn } from './support/subject.js';

const gateway = useGateway(startTestGateway);
let inbound: TestClient;

beforeAll(async () => {
  const served = [contracts.createOpportunity, contracts.createAccount, contracts.createContact, contracts.createNote];
  inbound = createTestClient(readTestStack().inboundUrl, served, gateway.organization.key);
});

type Collection = 'accounts' | 'contacts' | 'opportunities';

/** A list, a search by words, a search by a filter and a get must find the record. */
const expectFound = async (collection: Collection, id: string, word: string, scope = {}): Promise<void> => {
  const search = (body: object) => gateway.client.send('POST', `/v1/${collection}/search`, { body });
  const [list, byWord, byFilter, get] = await Promise.all([
    gateway.client.send('GET', `/v1/${collection}`, { query: { ...scope, limit: 1 } }),
    search({ query: word }),
    search({ filters: { field: 'id', operator: 'eq', value: id } }),
    gateway.client.send('GET', `/v1/${collection}/${id}`),
  ]);
  const idsOf = (answer: Answer) => (pageIn(answer)[collection] ?? []).map((record) => record.id);
  expect([idsOf(list), idsOf(byWord), idsOf(byFilter), get.status]).toEqual([[id], [id], [id], 200]);
};

describe('200: lists, searches and gets show a record as soon as its create is answered', () => {
  test('an account, a contact and a note', async () => {
    const domain = 'account1.example';
    const account = await inbound.call(contracts.createAccount, { body: { domain } });
    await expectFound('accounts', account.data.company_id, domain);
    const contact = await inbound.call(contracts.createContact, { body: { email: 'contact1@people.example' } });
    await expectFound('contacts', contact.data.people_id, 'contact1@');
    const body = { note: { title: 'Note' }, account_domains: ['noted.example'] };
    const note = await inbound.call(contracts.createNote, { body });
    const { notes } = (await gateway.client.call(contracts.listNotes, { query: 'limit=1' })).data;
    expect(notes.map(({ id }) => id)).toEqual([note.data.note_id]);
  });

  test('an opportunity, with the account and contact that it created', async () => {
    const scope = { pipeline_id: gateway.organization.pipeline.id };
    const domain = 'deal1.example';
    const related = { account_domain: domain, primary_contact_email: `p@${domain}` };
    const body = { ...scope, opportunity: { name: 'Deal1x' }, related_objects: related };
    const { opportunity_id: id } = (await inbound.call(contracts.createOpportunity, { body })).data;
    await expectFound('opportunities', id, 'deal1x', scope);
    const { opportunity } = (await gateway.client.call(contracts.getOpportunity, { params: { id } })).data;
    const ids = [`accounts/${opportunity.account_id ?? ''}`, `contacts/${opportunity.contact_id ?? ''}`];
    for (const path of ids) expect((await gateway.client.send('GET', `/v1/${path}`)).status).toBe(200);
  });

  test('an opportunity of a new pipeline, even if another caller just listed others', async () => {
    const search = async (body: object) =>
      (await gateway.client.call(contracts.searchOpportunities, { body })).data.opportunities.map((one) => one.id);
    await search({});
    const input = { organizationId: gateway.organization.id, name: 'New', stages: [{ label: 'Open' }] };
    const { id: pipelineId } = await setupTools(gateway.database).createPipeline(input);
    const body = { pipeline_id: pipelineId, opportunity: { name: 'Fresh1x' } };
    const { opportunity_id: id } = (await inbound.call(contracts.createOpportunity, { body })).data;
    for (const question of [{ limit: 1 }, { query: 'fresh1x' }, { sort: 'created_at:desc', limit: 1 }]) {
      expect(await search(question)).toEqual([id]);
    }
    for (const sort of ['stage_name:asc', 'stage_name:desc', 'pipeline_name:asc', 'pipeline_name:desc']) {
      expect(await search({ sort, limit: 500 })).toContain(id);
    }
  });
});
