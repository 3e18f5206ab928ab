import * as contracts from '@crm/contract';
import type { OperationContract } from '@crm/contract';
import type { Database } from '@crm/db';
import { setupTools } from '@crm/testing/suites';
import { type Answer, type TestClient, type TestOrganization, isSoak, propertyRuns, reportFigure } from '@crm/testing';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { startTestGateway, useGateway } from './support/gateway.js';
import { mutatedCursors } from './support/mutate-cursor.js';

const mutations = propertyRuns({ short: 57, soak: 10_000 });
const seed = Number(process.env['FC_SEED'] ?? Math.floor(Math.random() * 2 ** 31));
const inFlight = 16;
const onRecords =
  /\b(FROM|JOIN|UPDATE|INTO)\s+(opportunities|opportunity_contacts|accounts|contacts|notes|note_\w+|events)\b/;

type Values = Readonly<Record<string, unknown>>;

/** A request whose page has a next page, and the parameters that the cursor depends on, each with another value. */
interface PagedRequest {
  readonly contract: OperationContract;
  readonly id?: string;
  readonly values: Values;
  readonly changes: Readonly<Record<string, Values>>;
}

const gateway = useGateway(startTestGateway);
/** The statements on records since a test began. */
let statements: string[] = [];
let client: TestClient;
let requests: readonly PagedRequest[];
/** The cursor of each request, in order. */
let cursors: readonly string[];

const send = ({ contract, id }: PagedRequest, values: Values, key?: string): Promise<Answer> => {
  const path = contract.path.replace('{id}', id ?? '');
  const asText = Object.fromEntries(Object.entries(values).map(([name, value]) => [name, String(value)]));
  const request = contract.body === undefined ? { query: asText } : { body: values };
  return client.send(contract.method.toUpperCase(), path, { ...request, ...(key !== undefined && { key }) });
};

/** Leaves out the ids of records: a request of another organization with such an id is refused anyway. */
const withoutRecords = (values: Values): Values =>
  Object.fromEntries(Object.entries(values).filter(([name]) => name !== 'account_id' && name !== 'contact_id'));

const leaf = (value: unknown) => ({ field: 'name', operator: 'contains', value });

/** An id that differs in its last digit. */
const another = (id: string): string => id.replace(/.$/, (digit) => (digit === 'f' ? 'e' : 'f'));

const pagedRequests = (
  organization: TestOrganization,
  {
    accountId,
    contactId,
    dealId,
    webhookId,
  }: Readonly<Record<'accountId' | 'contactId' | 'dealId' | 'webhookId', string>>,
): PagedRequest[] => {
  const { pipeline, otherPipeline } = organization;
  const [stage, otherStage] = pipeline.stages;
  const limit = { limit: { limit: 2 } };
  const search = {
    values: { query: 'e', filters: [leaf('e')], sort: 'name', limit: 1 },
    changes: {
      ...limit,
      query: { query: 'ee' },
      'no query': { query: null },
      filters: { filters: [leaf('E'), leaf('e')] },
      'no filters': { filters: null },
      'the filters negated': { filters: { not: leaf('e') } },
      sort: { sort: 'created_at' },
      'the sort turned': { sort: 'name:desc' },
      'another sort key': { sort: ['name', 'created_at'] },
      'the default sort': { sort: null },
    },
  };
  const list = { values: { q: 'e', limit: 1 }, changes: { ...limit, q: { q: 'ee' }, 'no q': { q: '' } } };
  const scope = { pipeline_id: pipeline.id, stage_id: stage?.id };
  const scopeChanges = {
    stage: { stage_id: otherStage?.id },
    pipeline: { pipeline_id: otherPipeline.id, stage_id: otherPipeline.stages[0]?.id },
  };
  const searchScopeChanges = { ...scopeChanges, 'no stage': { stage_id: null }, 'no pipeline': { pipeline_id: null } };
  const page = { values: { limit: 1 }, changes: limit };
  const notes = {
    values: { account_id: accountId, limit: 1 },
    changes: {
      ...limit,
      contact: { contact_id: contactId },
      opportunity: { opportunity_id: dealId },
      account: { account_id: another(accountId) },
    },
  };
  const fields = {
    values: { pipeline_id: pipeline.id, limit: 1 },
    changes: { ...limit, pipeline: { pipeline_id: otherPipeline.id } },
  };
  const inScope = (one: typeof list | typeof search, more: typeof scopeChanges) => ({
    values: { ...scope, ...one.values },
    changes: { ...one.changes, ...more },
  });
  return [
    { contract: contracts.listOpportunities, ...inScope(list, scopeChanges) },
    { contract: contracts.listAccounts, ...list },
    { contract: contracts.listContacts, ...list },
    { contract: contracts.searchOpportunities, ...inScope(search, searchScopeChanges) },
    { contract: contracts.searchAccounts, ...search },
    { contract: contracts.searchContacts, ...search },
    { contract: contracts.listNotes, ...notes },
    { contract: contracts.listOpportunityFields, ...fields },
    { contract: contracts.listAccountFields, ...page },
    { contract: contracts.listContactFields, ...page },
    { contract: contracts.listPipelines, ...page },
    { contract: contracts.listPipelineStages, id: pipeline.id, ...page },
    { contract: contracts.listAccountHistory, id: accountId, ...page },
    { contract: contracts.listContactHistory, id: contactId, ...page },
    { contract: contracts.listOpportunityHistory, id: dealId, ...page },
    { contract: contracts.listOpportunityStages, id: dealId, ...page },
    { contract: contracts.listOpportunityDuplicates, ...page },
    { contract: contracts.listAccountDuplicates, ...page },
    { contract: contracts.listContactDuplicates, ...page },
    { contract: contracts.listMembers, ...page },
    { contract: contracts.listWebhooks, ...page },
    { contract: contracts.listWebhookAttempts, id: webhookId, ...page },
    { contract: contracts.listParkedRecords, id: webhookId, ...page },
  ];
};

const cursorIn = (answer: Answer): string => {
  const { next_cursor: cursor } = answer.data as { readonly next_cursor: string | null };
  if (cursor === null) throw new Error(`There is no next page: ${answer.text}`);
  return cursor;
};

beforeAll(async () => {
  process.stdout.write(`cursors: FC_SEED=${seed} FC_RUNS=${mutations}\n`);
  const { organization, stranger, database } = gateway;
  const stageId = organization.pipeline.stages[0]?.id ?? null;
  const { addAccount, addContact, addDeals, addNote, addWebhook } = gateway.records(organization);
  const accountId = await addAccount('eee.example', 'Eee');
  await addAccount('eel.example', 'Eel');
  const contactId = await addContact('eve@eee.example', 'Eve', null);
  await addContact('eva@eee.example', 'Eva', null);
  // Each of these is a duplicate of the first record, so that the list of duplicates has a second page.
  for (const domain of ['eight.example', 'eight.test', 'eight.org']) await addAccount(domain, 'Eight');
  for (const number of [1, 2]) await addContact(`eve${String(number)}@eee.example`, 'Eve', null);
  for (const title of ['one', 'two']) await addNote({ title, domains: ['eee.example'], emails: ['eve@eee.example'] });
  const [dealId = ''] = await addDeals(['see', 'bee', 'tree', 'See', 'SEE'].map((name) => ({ name, stageId })));
  // A second event of each record, so that its history has a second page.
  await database.pool.query(
    `INSERT INTO events (organization_id, position, occurred_at, id, type, object, record_id, version, changed, bytes)
     SELECT organization_id, 1000 + position, occurred_at, gen_random_uuid(), type, object, record_id, version, '{}', 0
       FROM events WHERE organization_id = $1`,
    [organization.id],
  );
  // An earlier stay, so that the stays have a second page.
  await database.query(organization.id, {
    text: `INSERT INTO stage_visits (organization_id, opportunity_id, place, stage_id, entered_at, left_at) VALUES ($1, $2, 1, $3, now(), now())`,
    values: [dealId, stageId],
  });
  for (const name of ['ed', 'elsa'])
    await setupTools(database).addMember({ organizationId: organization.id, email: `${name}@team.example`, name });
  // The stranger has pipelines with the same ids, so that the requests differ only in their organization.
  for (const pipeline of [organization.pipeline, organization.otherPipeline]) {
    const { id, name, stages } = pipeline;
    const organizationId = stranger.id;
    await database.prisma.pipeline.create({
      data: { organizationId, id, name: `${name} too`, comparableName: name, position: 9 },
    });
    const common = { organizationId, pipelineId: id, color: 'red' };
    await database.prisma.stage.createMany({
      data: stages.map((stage, position) => ({ ...common, position, ...stage, comparableLabel: stage.label })),
    });
  }
  const query: Database['query'] = (organizationId, statement) => {
    if (onRecords.test(statement.text)) statements.push(statement.text);
    return database.query(organizationId, statement);
  };
  ({ client } = await gateway.start({ database: { ...database, query } }));
  const webhookId = await addWebhook('two attempts');
  await addWebhook('another');
  requests = pagedRequests(organization, { accountId, contactId, dealId, webhookId });
  cursors = [];
  for (const request of requests) cursors = [...cursors, cursorIn(await send(request, request.values))];
});

const expectRefusal = (answer: Answer, about: string): void => {
  expect([about, answer.status, answer.fieldsAtFault]).toEqual([about, 400, ['cursor']]);
};

test('200: R6: every operation with pages is tested here and accepts its own cursor', async () => {
  const paging = contracts.readOperations
    .map(({ id }) => id)
    .filter((id) => !/^(get|summarize)/.test(id) && id !== 'listEvents');
  expect(requests.map(({ contract }) => contract.id).sort()).toEqual(paging.sort());
  for (const [index, request] of requests.entries()) {
    const cursor = cursors[index];
    expect((await send(request, { ...request.values, cursor })).status).toBe(200);
  }
});

describe('400', () => {
  beforeEach(() => {
    statements = [];
  });

  test('R6: refuses a cursor if anything in its request changed, and reads no record', async () => {
    for (const [index, request] of requests.entries()) {
      for (const [what, change] of Object.entries(request.changes)) {
        const answer = await send(request, { ...request.values, ...change, cursor: cursors[index] });
        expectRefusal(answer, `${request.contract.id}: ${what}`);
      }
      const values = { ...withoutRecords(request.values), cursor: cursors[index] };
      const ofStranger = await send(request, values, gateway.stranger.key);
      expectRefusal(ofStranger, `${request.contract.id}: organization`);
    }
    expect(statements).toEqual([]);
  });

  test('R6: refuses a cursor of another operation and reads no record', async () => {
    for (const [index, request] of requests.entries()) {
      for (const [of, cursor] of cursors.entries()) {
        // The short run sends each cursor to the next operation only.
        if (of === index || (!isSoak && of !== (index + 1) % requests.length)) continue;
        const answer = await send(request, { ...request.values, cursor });
        expectRefusal(answer, `${requests[of]?.contract.id ?? ''} to ${request.contract.id}`);
      }
    }
    expect(statements).toEqual([]);
  });

  test('R6: refuses mutated cursors, all with the same bytes, and reads no record', async () => {
    const texts = fc.sample(mutatedCursors(cursors), { seed, numRuns: mutations });
    const bodies = new Set<string>();
    for (let start = 0; start < texts.length; start += inFlight) {
      const some = texts.slice(start, start + inFlight).map(async (cursor, index) => {
        const request = requests[(start + index) % requests.length];
        if (request === undefined) throw new Error('There are no requests');
        const answer = await send(request, { ...request.values, cursor });
        expectRefusal(answer, `${request.contract.id}: ${cursor}`);
        bodies.add(answer.text);
      });
      await Promise.all(some);
    }
    reportFigure('R6', `different answers to ${texts.length} mutated cursors`, bodies.size, 1);
    expect(bodies.size).toBe(1);
    reportFigure('R6', 'statements on records for them', statements.length, 0);
    expect(statements).toEqual([]);
  }, 300_000);
});
