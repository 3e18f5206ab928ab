import { account, errorCatalogue } from '@crm/domain';
import { describe, expect, it } from '@jest/globals';
import { bodyBytes, bulkBodyBytes } from './bounds.js';
import { buildOpenApiDocument } from './openapi.js';
import { successExample } from './openapi/operation-object.js';
import { SchemaComponents } from './openapi/schema-components.js';
import { describedOperations, inboundOperations, readOperations } from './operations/all.js';
import { bodySchemas, flatBodies, responseSchemas } from './schemas/object-schemas.js';
import { hasErrorText } from './validate/error-text.js';
import { isRecord, type JsonSchema } from './validate/schema-walk.js';
import { compileOperation, compileResponseValidator } from './validation.js';

const documents = [
  ['read', buildOpenApiDocument('read', readOperations)],
  ['inbound', buildOpenApiDocument('inbound', inboundOperations)],
] as const;

/** Every object of a document with its path, except those in examples. */
const nodesIn = (value: unknown, path = ''): readonly (readonly [path: string, node: Record<string, unknown>])[] => {
  if (Array.isArray(value)) return value.flatMap((each, index) => nodesIn(each, `${path}/${index}`));
  if (!isRecord(value)) return [];
  const inner = Object.entries(value).filter(([key]) => !key.startsWith('example'));
  return [[path, value], ...inner.flatMap(([key, each]) => nodesIn(each, `${path}/${key}`))];
};

const resolve = (reference: string, document: unknown): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), document);

describe.each(documents)('the document of %s', (_name, document) => {
  it('has only references that resolve, and no unused component', () => {
    expect(JSON.stringify(document)).not.toContain('x-document');
    const references = new Set(nodesIn(document).flatMap(([, { $ref }]) => (typeof $ref === 'string' ? [$ref] : [])));
    for (const reference of references) expect([reference, resolve(reference, document)]).not.toContain(undefined);
    for (const kind of ['schemas', 'responses', 'parameters'] as const) {
      for (const name of Object.keys(document.components[kind] as object)) {
        expect(references).toContain(`#/components/${kind}/${name}`);
      }
    }
  });

  it('contains nothing that common generators misread: docs/decisions/0021-openapi-for-generators.md', () => {
    const misread: string[] = [];
    for (const [path, value] of nodesIn(document)) {
      if ('default' in value && !path.endsWith('/properties')) misread.push(`${path} has a default`);
      if (Object.hasOwn(value['patternProperties'] ?? {}, '^custom__')) misread.push(`${path} has a pattern`);
      if (Array.isArray(value['enum']) && value['enum'].includes(null)) misread.push(`${path} has null in its enum`);
      for (const choice of [value['oneOf'], value['anyOf']].flat())
        if (isRecord(choice) && choice['properties'] !== undefined) misread.push(`${path} has a choice without a name`);
      const types = [value['type']].flat().filter((type) => typeof type === 'string' && type !== 'null');
      if (types.length > 1) misread.push(`${path} has several types`);
      if (types.some((type) => type === 'integer' || type === 'number') && value['format'] === undefined)
        misread.push(`${path} has a number of unknown size`);
      if (typeof value['title'] === 'string' && /^New[A-Z]/.test(value['title'])) misread.push(`${path} is named New…`);
    }
    expect(misread).toEqual([]);
  });

  it('refuses no value or property of a response that a later version may add', () => {
    const { schemas } = document.components as { schemas: Record<string, unknown> };
    const reached = new Set<string>();
    const reach = (part: unknown): void => {
      for (const [, { $ref }] of nodesIn(part)) {
        const name = typeof $ref === 'string' ? $ref.replace('#/components/schemas/', '') : '';
        if (schemas[name] === undefined || reached.has(name)) continue;
        reached.add(name);
        reach(schemas[name]);
      }
    };
    for (const item of Object.values(document.paths))
      for (const operation of Object.values(item)) reach((operation as { responses: unknown }).responses);
    reach(document.components['responses']);
    reach(document.webhooks);
    expect(reached.size).toBeGreaterThan(20);
    const closed = [...reached].flatMap((name) =>
      nodesIn(schemas[name], name)
        .filter(([, node]) => 'const' in node || Array.isArray(node['enum']) || node['additionalProperties'] === false)
        .map(([path]) => path),
    );
    expect(closed).toEqual([]);
  });

  it('requires a key except for the health paths, and has an address relative to its own, path prefixes included', () => {
    expect(document.security).toEqual([{ ApiKey: [] }]);
    expect(document.servers.map(({ url }) => new URL(String(url), 'https://a.example/crm/openapi.json').href)).toEqual([
      'https://a.example/crm/',
    ]);
    for (const [path, item] of Object.entries(document.paths)) {
      const isHealth = path === '/livez' || path === '/readyz';
      for (const operation of Object.values(item) as Record<string, unknown>[]) {
        expect(operation['security']).toEqual(isHealth ? [] : undefined);
        expect(operation['servers']).toBeUndefined();
      }
    }
  });

  it('describes every property, parameter and header', () => {
    const undescribed: string[] = [];
    for (const [path, { type, properties }] of nodesIn(document)) {
      if (type === undefined || !isRecord(properties)) continue;
      for (const [name, property] of Object.entries(properties)) {
        if (isRecord(property) && property['description'] === undefined && property['$ref'] === undefined)
          undescribed.push(`${path}.${name}`);
      }
    }
    expect(undescribed).toEqual([]);
  });

  it('gives each operation a unique id and a described tag', () => {
    const operations = Object.values(document.paths).flatMap(
      (item) => Object.values(item) as Record<string, unknown>[],
    );
    expect(new Set(operations.map((operation) => operation['operationId'])).size).toBe(operations.length);
    const tags = new Set(document.tags.map((tag) => tag['name']));
    for (const operation of operations) expect(tags).toContain((operation['tags'] as unknown[])[0]);
  });
});

describe('the read document', () => {
  it('shows the rules that code checks after the schema', () => {
    const [, read] = documents[0];
    const parameters = (read.paths['/v1/opportunities']?.['get'] as { parameters: Record<string, unknown>[] })
      .parameters;
    expect(parameters.find(({ name }) => name === 'limit')).toMatchObject({
      in: 'query',
      required: false,
      description: expect.stringContaining('Default: 100.') as unknown,
      schema: { type: 'integer', minimum: 1, maximum: 500 },
    });
    expect(parameters.find(({ name }) => name === 'q')).toMatchObject({ schema: { maxLength: 200 } });
    expect(read.info['contact']).toEqual({ name: 'The operator of this deployment' });
    expect(parameters.find(({ name }) => name === 'pipeline_id')).toMatchObject({ required: true });
  });

  it('refers to named schemas instead of repeating them', () => {
    const { OpportunityPage } = documents[0][1].components['schemas'] as Record<string, Record<string, unknown>>;
    expect(OpportunityPage?.['properties']).toMatchObject({
      opportunities: { type: 'array', items: { $ref: '#/components/schemas/Opportunity' } },
      custom_field_definitions: { additionalProperties: { $ref: '#/components/schemas/CustomFieldDefinition' } },
    });
  });
});

const examplesOf = (schema: unknown): unknown[] => (schema as { examples?: unknown[] }).examples ?? [];

/** Keywords that constrain nothing by themselves, or whose texts are in `field-errors.ts`. */
const silent = new Set([
  ...[
    'title',
    'description',
    'examples',
    'default',
    'x-document',
    'x-rules',
    'items',
    'properties',
    'patternProperties',
  ],
  ...['additionalProperties', 'required', 'allOf'],
]);

const keywordsOf = (schema: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(schema).flatMap(([keyword, value]) => {
    if (keyword === 'properties' || keyword === 'patternProperties') {
      return [keyword, ...Object.values(value as Record<string, Record<string, unknown>>).flatMap(keywordsOf)];
    }
    return keyword === 'items' && isRecord(value) ? [keyword, ...keywordsOf(value)] : [keyword];
  });

describe('every operation', () => {
  it.each(describedOperations.map((contract) => [contract.id, contract] as const))(
    '%s is complete and consistent, and uses only keywords with error texts',
    (_id, contract) => {
      const { params, query, body, item } = compileOperation(contract);
      expect(contract.path.includes('{')).toBe(params !== undefined);
      expect(query({ surely_unknown: '1' })).toMatchObject({ surely_unknown: 'is not a known parameter' });
      expect(compileResponseValidator(contract)(successExample(contract))).toBeNull();
      if (body !== undefined) {
        expect(examplesOf(contract.body).length).toBeGreaterThan(0);
        for (const example of examplesOf(contract.body)) {
          expect(body(example)).toBeNull();
          for (const each of (example as { items?: unknown[] }).items ?? []) expect(item?.(each)).toBeNull();
        }
      }
      expect(contract.maxBodyBytes ?? bodyBytes).toBe(item === undefined ? bodyBytes : bulkBodyBytes);
      for (const schema of [contract.params, contract.query, contract.body, contract.item]) {
        const used = keywordsOf((schema ?? {}) as Record<string, unknown>).filter((keyword) => !silent.has(keyword));
        expect(used.filter((keyword) => !hasErrorText(keyword))).toEqual([]);
      }
    },
  );

  it('declares only statuses of the error catalogue', () => {
    const known = new Set<number>(Object.values(errorCatalogue).map(({ status }) => status));
    const declared = describedOperations.flatMap(({ errors }) => errors ?? []);
    expect(declared.filter((status) => !known.has(status))).toEqual([]);
  });
});

describe('an object with one more field', () => {
  const region = { name: 'region', kind: 'text', about: 'Region.', example: 'EMEA', write: { as: 'text' } } as const;
  const described = { ...account, fields: [...account.fields, region] };
  const bodyTexts = { description: 'A company.', examples: [{}] } as const;
  const names = { create: bodyTexts, update: bodyTexts, createItems: [], updateItems: [] };

  it('has it in its records, bodies and documents, and needs no other change', () => {
    const { page, detail } = responseSchemas(described);
    const bodies = bodySchemas(described, flatBodies(described), names);
    const components = new SchemaComponents();
    for (const schema of [page, detail]) components.place(schema as object as JsonSchema, 'response');
    for (const schema of Object.values(bodies)) components.place(schema as JsonSchema, 'request');
    const example = { type: ['string', 'null'], description: 'Region.', examples: ['EMEA'] };
    expect(components.toJson()).toMatchObject({
      Account: { properties: { region: example } },
      CreateAccountBody: { properties: { region: { ...example, maxLength: 255 } } },
      UpdateAccountBody: { properties: { region: { ...example, maxLength: 255 } } },
      UpdateAccountItem: { properties: { region: { ...example, maxLength: 255 } } },
    });
  });
});
