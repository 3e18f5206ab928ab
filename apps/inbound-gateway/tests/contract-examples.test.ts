import { readFileSync } from 'node:fs';
import { inboundOperations, readOperations } from '@crm/contract';
import { createTestClient, readTestStack, type TestClient, type TestField } from '@crm/testing';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startTestGateway, type TestGateway } from './support/gateway.js';
import { type HttpExample, Placeholders, readHttpExamples, shownPart } from './support/http-examples.js';

const examples = readHttpExamples(readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8'));

const colors = ['blue', 'green', 'yellow'];
const optionsOf = (labels: Readonly<Record<string, string>>) =>
  Object.entries(labels).map(([value, label], index) => ({ value, label, color: colors[index] ?? '' }));

/** The custom fields that docs/contract.md assumes. */
const fields: readonly Omit<TestField, 'objectType'>[] = [
  {
    slug: 'deal_tier',
    attributeType: 'select',
    metadata: { options: optionsOf({ smb: 'Small', ent: 'Enterprise' }) },
  },
  {
    slug: 'channels',
    attributeType: 'multi_select',
    metadata: { options: optionsOf({ web: 'Website', event: 'Event', partner: 'Partner' }) },
  },
  { slug: 'signed_on', attributeType: 'date' },
  { slug: 'score', attributeType: 'rating' },
  { slug: 'site', attributeType: 'location' },
];

describe('the examples of docs/contract.md', () => {
  let gateway: TestGateway;
  let read: TestClient;
  let inbound: TestClient;
  let placeholders: Placeholders;

  beforeAll(async () => {
    gateway = await startTestGateway();
    const { organization } = gateway;
    for (const field of fields) await organization.defineField({ objectType: 'opportunity', ...field });
    const { key } = organization;
    const { readUrl, inboundUrl } = readTestStack();
    read = createTestClient(readUrl, readOperations, key);
    inbound = createTestClient(inboundUrl, inboundOperations, key);
    placeholders = new Placeholders({
      pipeline_id: organization.pipeline.id,
      stage_won: organization.pipeline.stages.find(({ label }) => label === 'Won')?.id ?? '',
    });
  });
  afterAll(() => gateway.stop());

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
