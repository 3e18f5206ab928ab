import * as contracts from '@crm/contract';
import { administration } from '@crm/db';
import {
  createTestClient,
  type GatewayProcess,
  startGatewayProcesses,
  type TestClient,
  urlForRole,
} from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { pageIn } from './support/subject.js';

const rounds = 10;
const inboundMain = new URL('../../inbound-gateway/dist/main.js', import.meta.url).pathname;

let gateway: TestGateway;
let inboundProcess: GatewayProcess;
let inbound: TestClient;

beforeAll(async () => {
  gateway = await startTestGateway();
  const environment = {
    DATABASE_URL: urlForRole(gateway.databaseUrl, 'inbound'),
    RATE_LIMIT_INBOUND: '0',
    LOG_LEVEL: 'error',
    ALLOW_UNSAFE_DURABILITY: '1',
  };
  const [started] = await startGatewayProcesses(1, inboundMain, environment);
  if (started === undefined) throw new Error('no process was started');
  inboundProcess = started;
  const served = [contracts.createOpportunity, contracts.createAccount, contracts.createContact, contracts.createNote];
  inbound = createTestClient(started.url, served, gateway.organization.key);
});
afterAll(async () => {
  await inboundProcess.stop();
  await gateway.stop();
});

type Collection = 'accounts' | 'contacts' | 'opportunities';

/** The ids found by a list, a search by words and a search by a filter, and the answer of a get. */
const readEverywhere = async (
  collection: Collection,
  id: string,
  word: string,
  scope: Readonly<Record<string, string>>,
) => {
  const { client } = gateway;
  const [list, byWord, byFilter, get] = await Promise.all([
    client.send('GET', `/v1/${collection}`, { query: { ...scope, limit: 1 } }),
    client.send('POST', `/v1/${collection}/search`, { body: { query: word } }),
    client.send('POST', `/v1/${collection}/search`, { body: { filters: { field: 'id', operator: 'eq', value: id } } }),
    client.send('GET', `/v1/${collection}/${id}`),
  ]);
  const idsOf = (answer: typeof list) => (pageIn(answer)[collection] ?? []).map((record) => record.id);
  return { list: idsOf(list), byWord: idsOf(byWord), byFilter: idsOf(byFilter), status: get.status };
};

const found = (id: string) => ({ list: [id], byWord: [id], byFilter: [id], status: 200 });

describe('200: lists, searches and gets show a record as soon as its create is answered', () => {
  test('accounts', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { data } = await inbound.call(contracts.createAccount, { body: { domain: `account${round}.example` } });
      const id = data.company_id;
      expect(await readEverywhere('accounts', id, `account${round}.example`, {})).toEqual(found(id));
    }
  });

  test('contacts', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const { data } = await inbound.call(contracts.createContact, {
        body: { email: `contact${round}@people.example` },
      });
      const id = data.people_id;
      expect(await readEverywhere('contacts', id, `contact${round}@`, {})).toEqual(found(id));
    }
  });

  test('opportunities, with the account and contacts that they created', async () => {
    const { pipeline } = gateway.organization;
    for (let round = 0; round < rounds; round += 1) {
      const related = {
        account_domain: `deal${round}.example`,
        primary_contact_email: `p${round}@deal${round}.example`,
      };
      const body = { pipeline_id: pipeline.id, opportunity: { name: `Deal${round}x` }, related_objects: related };
      const { data } = await inbound.call(contracts.createOpportunity, { body });
      const id = data.opportunity_id;
      expect(await readEverywhere('opportunities', id, `deal${round}x`, { pipeline_id: pipeline.id })).toEqual(
        found(id),
      );
      const { opportunity } = (await gateway.client.send('GET', `/v1/opportunities/${id}`)).data as {
        opportunity: { account_id: string; contact_id: string };
      };
      for (const path of [`/v1/accounts/${opportunity.account_id}`, `/v1/contacts/${opportunity.contact_id}`])
        expect((await gateway.client.send('GET', path)).status).toBe(200);
    }
  });

  test('notes', async () => {
    for (let round = 0; round < rounds; round += 1) {
      const body = { note: { title: `Note ${round}` }, account_domains: ['noted.example'] };
      const { data } = await inbound.call(contracts.createNote, { body });
      const { notes } = (await gateway.client.call(contracts.listNotes, { query: 'limit=1' })).data;
      expect(notes.map(({ id }) => id)).toEqual([data.note_id]);
    }
  });

  test('opportunities of a pipeline created a moment ago, even if another caller just listed other ones', async () => {
    const search = (body: object) => gateway.client.call(contracts.searchOpportunities, { body });
    for (let round = 0; round < rounds; round += 1) {
      await search({});
      const input = { organizationId: gateway.organization.id, name: `New ${round}`, stages: [{ label: 'Open' }] };
      const { id: pipelineId } = await administration(gateway.database).createPipeline(input);
      const body = { pipeline_id: pipelineId, opportunity: { name: `Fresh${round}x` } };
      const { opportunity_id: id } = (await inbound.call(contracts.createOpportunity, { body })).data;
      for (const question of [{ limit: 1 }, { query: `fresh${round}x` }, { sort: 'created_at:desc', limit: 1 }]) {
        expect((await search(question)).data.opportunities.map((one) => one.id)).toEqual([id]);
      }
      for (const sort of ['stage_name:asc', 'stage_name:desc', 'pipeline_name:asc', 'pipeline_name:desc']) {
        const all = await search({ sort, limit: 500 });
        expect(all.data.opportunities.map((one) => one.id)).toContain(id);
      }
    }
  });
});
