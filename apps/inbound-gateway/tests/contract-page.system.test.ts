import { readFileSync } from 'node:fs';
import { bounds, compileOperation, inboundOperations, readOperations } from '@crm/contract';
import * as domain from '@crm/domain';
import {
  type AttributeType,
  filterKindOf,
  objectTypes,
  operatorsFor,
  type SystemField,
  systemFields,
} from '@crm/domain';
import { defaultRateLimits } from '@crm/http';
import { createTestClient, readTestStack, type TestClient, type TestField } from '@crm/testing';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { codesOf, readCheckedTable } from './support/checked-tables.js';
import { Placeholders, readHttpExamples, shownPart } from './support/http-examples.js';
import { useGateway } from './support/use-gateway.js';

const page = readFileSync(new URL('../../../docs/contract.md', import.meta.url), 'utf8');
const examples = readHttpExamples(page);
const gateway = useGateway();

const rowsOf = (name: string): string[][] => readCheckedTable(page, name);

const definitionOf = (attributeType: AttributeType) => ({
  id: '00000000-0000-7000-8000-000000000000',
  objectType: 'opportunity' as const,
  slug: 'field',
  name: 'Field',
  attributeType,
  metadata: null,
  position: 1,
  isHidden: false,
  pipelineIds: null,
  slot: null,
});

const operatorsOfType = (type: AttributeType): readonly string[] =>
  operatorsFor(filterKindOf({ source: 'custom', definition: definitionOf(type) }));

const operatorsOfField = (field: SystemField): readonly string[] =>
  operatorsFor(filterKindOf({ source: 'system', field }));

const sorted = (names: readonly string[]): string[] => [...names].sort();

/** `GET /v1/{accounts,notes}` → `GET /v1/accounts`, `GET /v1/notes` */
const requestsOf = (request: string): string[] => {
  const [choice, names] = /\{([^{}]+,[^{}]+)\}/.exec(request) ?? [];
  return choice === undefined ? [request] : (names ?? '').split(',').map((name) => request.replace(choice, name));
};

describe('the tables of docs/contract.md', () => {
  test('list every operation with its request and group', () => {
    const rows = rowsOf('operations').flatMap(([request, names, group]) =>
      requestsOf(codesOf(request)[0] ?? '').map((each, index) => [codesOf(names)[index], each, codesOf(group)[0]]),
    );
    const contracts = [...readOperations, ...inboundOperations];
    const expected = contracts.map(({ id, method, path, group }) => [id, `${method.toUpperCase()} ${path}`, group]);
    expect(rows.sort()).toEqual(expected.sort());
  });

  test('give the requests per minute', () => {
    const limits = rowsOf('rate limits').map(([group, limit]) => [codesOf(group)[0] ?? 'failedAuth', Number(limit)]);
    expect(Object.fromEntries(limits)).toEqual(defaultRateLimits);
  });

  test('list every system field and whether it is in every record', () => {
    for (const objectType of objectTypes) {
      const row = rowsOf('system fields').find(([object]) => object === objectType) ?? [];
      const namesOf = (always: boolean): string[] =>
        systemFields[objectType].filter((field) => field.always === always).map(({ name }) => name);
      expect([codesOf(row[1]), codesOf(row[2])]).toEqual([namesOf(true), namesOf(false)]);
    }
  });

  test('give the operators of every type and system field', () => {
    const rows = rowsOf('operators').map((row) => row.map(codesOf));
    const types = rows.flatMap(([names = [], , operators = []]) => names.map((name) => [name, sorted(operators)]));
    const fields = rows.flatMap(([, names = [], operators = []]) => names.map((name) => [name, sorted(operators)]));
    const all = objectTypes.flatMap((objectType) => systemFields[objectType]).filter((field) => field.filterable);
    expect(types.length).toBe(domain.attributeTypes.length);
    expect(Object.fromEntries(types)).toEqual(
      Object.fromEntries(domain.attributeTypes.map((type) => [type, sorted(operatorsOfType(type))])),
    );
    expect(fields.length).toBe(new Set(all.map(({ name }) => name)).size);
    expect(Object.fromEntries(fields)).toEqual(
      Object.fromEntries(all.map((field) => [field.name, sorted(operatorsOfField(field))])),
    );
  });

  test('list every alias of an operator', () => {
    const aliases = rowsOf('aliases').map(([alias, operator]) => [codesOf(alias)[0], codesOf(operator)[0]]);
    expect(Object.fromEntries(aliases)).toEqual(domain.operatorAliases);
  });

  test('list every type of custom field, in order', () => {
    expect(rowsOf('types').map(([type]) => codesOf(type)[0])).toEqual(domain.attributeTypes);
  });

  test('list every error status', () => {
    const statuses = Object.values(domain.errorCatalogue).map(({ status }) => status);
    expect(rowsOf('statuses').map(([status]) => Number(status))).toEqual([...new Set(statuses)].sort());
  });

  test('list every error code with its status', () => {
    const codes = rowsOf('codes').map(([code, status]) => [codesOf(code)[0], Number(status)]);
    expect(codes).toEqual(Object.entries(domain.errorCatalogue).map(([code, { status }]) => [code, status]));
  });

  test('give the limits that the code enforces', () => {
    const numbers = rowsOf('bounds').map(([, bound]) => Number(bound));
    expect(numbers).toEqual([
      253,
      domain.maxEmailLength,
      domain.maxNameLength,
      domain.maxCombiningMarks,
      domain.maxAccountWebsiteLength,
      bounds.noteContentLength,
      domain.maxNextStepLength,
      domain.maxStringLength,
      domain.maxLocationPartLength,
      domain.maxTeamMembers,
      domain.maxSelections,
      domain.maxCustomValues,
      ...Object.values(domain.setupLimits),
      bounds.keysPerCall,
      domain.maxAdditionalContacts,
      bounds.bulkCreateItems,
      bounds.bulkUpdateItems,
      bounds.bodyBytes,
      bounds.bulkBodyBytes,
      32,
      255,
      domain.maxFilterLeaves,
      domain.maxFilterDepth,
      domain.maxListValues,
      2_000,
      domain.maxQueryLength,
      domain.maxSortKeys,
      domain.maxFieldNames,
      domain.maxLimit,
      bounds.idsPerParameter,
      bounds.includedRecords,
      domain.maxPageBytes,
      domain.maxCursorLength,
    ]);
  });
});

const colors = ['blue', 'green', 'yellow'];
const optionsOf = (labels: Readonly<Record<string, string>>) => ({
  options: Object.entries(labels).map(([value, label], index) => ({ value, label, color: colors[index] ?? '' })),
});

/** The custom fields that docs/contract.md assumes. */
const fields: readonly Omit<TestField, 'objectType'>[] = [
  { slug: 'deal_tier', attributeType: 'select', metadata: optionsOf({ smb: 'Small', ent: 'Enterprise' }) },
  {
    slug: 'channels',
    attributeType: 'multi_select',
    metadata: optionsOf({ web: 'Website', event: 'Event', partner: 'Partner' }),
  },
  { slug: 'signed_on', attributeType: 'date' },
  { slug: 'score', attributeType: 'rating' },
  { slug: 'site', attributeType: 'location' },
];

describe('the examples of docs/contract.md', () => {
  let read: TestClient;
  let placeholders: Placeholders;

  beforeAll(async () => {
    const { organization } = gateway();
    for (const field of fields) await organization.defineField({ objectType: 'opportunity', ...field });
    read = createTestClient(readTestStack().readUrl, organization.key);
    placeholders = new Placeholders({
      pipeline_id: organization.pipeline.id,
      stage_won: organization.pipeline.stages.find(({ label }) => label === 'Won')?.id ?? '',
    });
  });

  test('exist', () => {
    expect(examples.length).toBeGreaterThan(30);
  });

  // In order: each example builds on the records of those before it.
  test.each([...examples])('$title answers as written', async (example) => {
    const { 'x-api-key': key, ...headers } = example.headers;
    const client = example.path.startsWith('/v1/inbound/') ? gateway().client : read;
    const answer = await client.send(example.method, placeholders.fill(example.path), {
      query: placeholders.fill(example.query),
      headers: Object.fromEntries(Object.entries(headers).map(([name, text]) => [name, placeholders.fill(text)])),
      ...(key === '' ? { key: null } : {}),
      ...(example.body === undefined ? {} : { rawBody: placeholders.fill(example.body) }),
    });
    const shownHeaders = Object.entries(example.answerHeaders).map(
      ([name, text]) => [name, placeholders.resolve(text, answer.headers.get(name))] as const,
    );
    const shown = shownPart(example.answer, answer.body, placeholders);
    expect({
      status: answer.status,
      headers: Object.fromEntries(shownHeaders.map(([name]) => [name, answer.headers.get(name)])),
      body: shown.actual,
    }).toEqual({ status: example.status, headers: Object.fromEntries(shownHeaders), body: shown.expected });
  });

  test('in its text are bodies that an operation accepts, and those of creates succeed', async () => {
    const bodies = [...page.matchAll(/`(\{ ?"[^`]*\})`/g)].flatMap(([, text = '']) => {
      try {
        return [JSON.parse(placeholders.fill(text)) as object];
      } catch {
        return []; // A sketch such as `{"and": […]}`
      }
    });
    expect(bodies.length).toBeGreaterThan(2);
    for (const body of bodies) {
      const accepts = (contract: (typeof inboundOperations)[number]): boolean =>
        compileOperation(contract).body?.(body) === null;
      const names = inboundOperations.filter(accepts).map(({ id }) => id);
      expect({ body, names }).not.toEqual({ body, names: [] });
      if (names.includes('createField'))
        expect((await gateway().client.send('POST', '/v1/inbound/fields', { body })).status).toBe(200);
    }
  });
});
