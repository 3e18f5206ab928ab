import { readFileSync } from 'node:fs';
import { inboundOperations, readOperations } from '@crm/contract';
import { type AdministrationDatabase, migrate, openAdministrationDatabase } from '@crm/db';
import {
  createTestClient,
  createTestDatabase,
  createTestOrganization,
  type GatewayProcess,
  startGatewayProcesses,
  type TestClient,
  type TestDatabase,
  type TestField,
  type TestOrganization,
} from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type HttpExample, Placeholders, readHttpExamples, shownPart } from './support/http-examples.js';
import { organizationTools } from './support/organization-tools.js';

const examples = readHttpExamples(readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8'));
const inboundMain = new URL('../dist/main.js', import.meta.url).pathname;
const readMain = new URL('../../read-gateway/dist/main.js', import.meta.url).pathname;

/** The custom fields that docs/contract.md assumes. */
const fields: readonly TestField[] = [
  {
    objectType: 'opportunity',
    slug: 'deal_tier',
    attributeType: 'select',
    metadata: {
      options: [
        { label: 'Small', value: 'smb', color: 'blue' },
        { label: 'Enterprise', value: 'ent', color: 'green' },
      ],
    },
  },
  {
    objectType: 'opportunity',
    slug: 'channels',
    attributeType: 'multi_select',
    metadata: {
      options: [
        { label: 'Website', value: 'web', color: 'blue' },
        { label: 'Event', value: 'event', color: 'green' },
        { label: 'Partner', value: 'partner', color: 'yellow' },
      ],
    },
  },
  { objectType: 'opportunity', slug: 'signed_on', attributeType: 'date' },
  { objectType: 'opportunity', slug: 'score', attributeType: 'rating' },
  { objectType: 'opportunity', slug: 'site', attributeType: 'location' },
];

const stageId = ({ pipeline }: TestOrganization, label: string): string =>
  pipeline.stages.find((stage) => stage.label === label)?.id ?? '';

describe('the examples of docs/contract.md', () => {
  let testDatabase: TestDatabase;
  let database: AdministrationDatabase;
  let gateways: readonly GatewayProcess[] = [];
  let read: TestClient;
  let inbound: TestClient;
  let placeholders: Placeholders;

  beforeAll(async () => {
    testDatabase = await createTestDatabase(async (url) => {
      await migrate(url);
    }, 'migrated');
    database = openAdministrationDatabase({ url: testDatabase.url, applicationName: 'contract-examples' });
    const organization = await createTestOrganization(organizationTools(database));
    for (const field of fields) await organization.defineField(field);
    const environment = { DATABASE_URL: testDatabase.url, LOG_LEVEL: 'error' };
    const cursorSecrets = { CURSOR_SECRETS: 'the examples of the documentation' };
    const started = [
      await startGatewayProcesses(1, readMain, { ...environment, ...cursorSecrets }),
      await startGatewayProcesses(1, inboundMain, environment),
    ];
    gateways = started.flat();
    read = createTestClient(gateways[0]?.url ?? '', readOperations, organization.key);
    inbound = createTestClient(gateways[1]?.url ?? '', inboundOperations, organization.key);
    placeholders = new Placeholders({
      pipeline_id: organization.pipeline.id,
      stage_won: stageId(organization, 'Won'),
    });
  });

  afterAll(async () => {
    await Promise.all(gateways.map((gateway) => gateway.stop()));
    await database.close();
    await testDatabase.drop();
  });

  const run = async (example: HttpExample): Promise<void> => {
    const { 'x-api-key': key, ...headers } = example.headers;
    const client = example.path.startsWith('/v1/inbound/') ? inbound : read;
    const answer = await client.send(example.method, placeholders.fill(example.path), {
      query: placeholders.fill(example.query),
      headers,
      ...(key === '' ? { key: null } : {}),
      ...(example.body === undefined ? {} : { rawBody: placeholders.fill(example.body) }),
    });
    const names = Object.keys(example.answerHeaders);
    const shown = shownPart(example.answer, answer.body, placeholders);
    expect({
      status: answer.status,
      headers: Object.fromEntries(names.map((name) => [name, answer.headers.get(name)])),
      body: shown.actual,
    }).toEqual({ status: example.status, headers: example.answerHeaders, body: shown.expected });
  };

  test('exist', () => {
    expect(examples.length).toBeGreaterThan(30);
  });

  // In order: each example builds on the records of those before it.
  test.each(examples.map((example) => [example.title, example] as const))(
    '%s answers as written',
    async (_title, example) => {
      await run(example);
    },
  );
});
