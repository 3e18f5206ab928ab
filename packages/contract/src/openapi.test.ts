import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { createAjv } from './validate/ajv.js';
import { isRecord } from './validate/schema-walk.js';
import { buildOpenApiDocument } from './openapi.js';
import { inboundOperations, readOperations } from './operations/index.js';

const documents = [
  ['read', buildOpenApiDocument('read', readOperations)],
  ['inbound', buildOpenApiDocument('inbound', inboundOperations)],
] as const;

const referencesIn = (value: unknown): string[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (!isRecord(value)) return [];
  const own = typeof value['$ref'] === 'string' ? [value['$ref']] : [];
  return [...own, ...Object.values(value).flatMap(referencesIn)];
};

const resolve = (reference: string, document: unknown): unknown =>
  reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (isRecord(value) ? value[key] : undefined), document);

describe.each(documents)('the document of %s', (_name, document) => {
  it('has only references that resolve, and no unused component', () => {
    expect(JSON.stringify(document)).not.toContain('x-document');
    const references = new Set(referencesIn(document));
    for (const reference of references) expect([reference, resolve(reference, document)]).not.toContain(undefined);
    for (const kind of ['schemas', 'responses', 'parameters'] as const) {
      for (const name of Object.keys(document.components[kind] as object)) {
        expect(references).toContain(`#/components/${kind}/${name}`);
      }
    }
  });

  it('has examples that its own schemas accept', () => {
    const ajv = createAjv();
    ajv.addVocabulary(['x-custom-keys', 'openapi', 'info', 'servers', 'security', 'tags', 'paths', 'components']);
    ajv.addSchema({ ...document, $id: 'https://crm.example/openapi' });
    const check = (content: unknown): void => {
      const { schema, example } =
        (content as Record<string, { schema: object; example: unknown }>)['application/json'] ?? {};
      const text = JSON.stringify(schema).replaceAll('"#/components', '"https://crm.example/openapi#/components');
      const validate = ajv.compile(JSON.parse(text) as object);
      expect([validate(example), validate.errors]).toEqual([true, null]);
    };
    for (const item of Object.values(document.paths)) {
      for (const operation of Object.values(item) as Record<string, Record<string, unknown>>[]) {
        if (operation['requestBody'] !== undefined) check(operation['requestBody']['content']);
        check((operation['responses']?.['200'] as Record<string, unknown>)['content']);
      }
    }
    for (const response of Object.values(document.components['responses'] as Record<string, Record<string, unknown>>)) {
      check(response['content']);
    }
  });

  it('contains nothing that common generators misread: docs/decisions/0021-openapi-for-generators.md', () => {
    const misread: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (Array.isArray(value)) for (const [index, each] of value.entries()) walk(each, `${path}/${index}`);
      if (!isRecord(value)) return;
      if ('default' in value && !path.endsWith('/properties')) misread.push(`${path} has a default`);
      if (Object.hasOwn(value['patternProperties'] ?? {}, '^custom__')) misread.push(`${path} has a pattern`);
      if (Array.isArray(value['enum']) && value['enum'].includes(null)) misread.push(`${path} has null in its enum`);
      for (const choice of [value['oneOf'], value['anyOf']].flat()) {
        if (!isRecord(choice) || choice['$ref'] !== undefined || choice['type'] === 'null') continue;
        if (choice['enum'] === undefined) misread.push(`${path} has a choice without a name`);
      }
      for (const [key, each] of Object.entries(value)) if (!key.startsWith('example')) walk(each, `${path}/${key}`);
    };
    walk(document, '');
    expect(misread).toEqual([]);
  });

  it('has the version of the newest release in the changelog', () => {
    const changelog = readFileSync(new URL('../../../CHANGELOG.md', import.meta.url), 'utf8');
    expect(document.info['version']).toBe(/^## \[(\d+\.\d+\.\d+)\]/m.exec(changelog)?.[1]);
  });

  it('requires a key except for the health paths, and has relative addresses, so that its page calls its host', () => {
    expect(document.security).toEqual([{ ApiKey: [] }]);
    expect(document.servers).toEqual([expect.objectContaining({ url: '/' })]);
    for (const [path, item] of Object.entries(document.paths)) {
      const isHealth = path === '/livez' || path === '/readyz';
      for (const operation of Object.values(item) as Record<string, unknown>[]) {
        expect(operation['security']).toEqual(isHealth ? [] : undefined);
        expect(operation['servers']).toEqual(isHealth ? [expect.objectContaining({ url: '.' })] : undefined);
      }
    }
  });

  it('describes every property, parameter and header', () => {
    const undescribed: string[] = [];
    const walk = (value: unknown, path: string): void => {
      if (Array.isArray(value)) for (const [index, each] of value.entries()) walk(each, `${path}/${index}`);
      if (!isRecord(value)) return;
      if (isRecord(value['properties']) && 'type' in value) {
        for (const [name, property] of Object.entries(value['properties'])) {
          if (!isRecord(property)) continue;
          if (property['description'] === undefined && property['$ref'] === undefined)
            undescribed.push(`${path}.${name}`);
        }
      }
      for (const [key, each] of Object.entries(value)) if (!key.startsWith('example')) walk(each, `${path}/${key}`);
    };
    walk(document, '');
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
