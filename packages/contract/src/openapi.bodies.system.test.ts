// The documents agree with their examples, and with the gateways about request bodies, which tools build from them.
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { buildOpenApiDocument } from './openapi.js';
import { inboundOperations, readOperations } from './operations/all.js';
import { applyRules, isRecord, type JsonSchema } from './validate/schema-walk.js';
import { compileFile } from './validation.js';

interface Described {
  readonly content: { readonly 'application/json': { readonly schema: object; readonly example: unknown } };
}
interface DescribedOperation {
  readonly operationId: string;
  readonly requestBody?: Described;
  readonly responses: Readonly<Record<string, Described>>;
}

/** Copies of a value with one part removed or replaced. Most of them are invalid. */
const changesOf = (value: unknown): unknown[] => {
  const others: unknown[] = [null, true, 'no such value', '', -0.5, [], {}, 'x'.repeat(100_001)];
  if (Array.isArray(value)) {
    const list = value as unknown[];
    const inner = list.flatMap((each, at) => changesOf(each).map((changed) => list.with(at, changed)));
    return [...others, Array.from({ length: 501 }, () => list[0]), ...inner];
  }
  if (!isRecord(value)) return others;
  const inner = Object.entries(value).flatMap(([key, each]) => {
    // The domain package parses these two.
    if (key === 'filters' || key === 'sort') return [];
    const rest = Object.entries(value).filter(([other]) => other !== key);
    return [Object.fromEntries(rest), ...changesOf(each).map((changed) => ({ ...value, [key]: changed }))];
  });
  return [...others, { ...value, unknown_key: 1 }, ...inner];
};

const id = 'https://crm.example/openapi';

describe.each([
  ['read', readOperations],
  ['inbound', inboundOperations],
] as const)('the document of %s', (gateway, operations) => {
  const document = buildOpenApiDocument(gateway, operations);
  const described = Object.values(document.paths).flatMap((item) => Object.values(item) as DescribedOperation[]);
  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
  formats.default(ajv);
  ajv.addVocabulary([
    'x-custom-keys',
    'x-extensible-enum',
    'x-key-pattern',
    'openapi',
    'info',
    'servers',
    'security',
    'tags',
    'paths',
    'components',
    'webhooks',
  ]);
  // Sizes for generators, which limit nothing in JSON.
  for (const format of ['int32', 'int64', 'double']) ajv.addFormat(format, true);
  ajv.addSchema({ ...document, $id: id });

  const compile = (schema: object) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', `"${id}#/components`)) as object);

  it('has examples that its own schemas accept', () => {
    const shared = Object.values(document.components['responses'] as Record<string, Described>);
    const own = described.flatMap(({ requestBody, responses }) => [requestBody ?? [], responses['200'] ?? []].flat());
    for (const { content } of [...shared, ...own]) {
      const { schema, example } = content['application/json'];
      const validate = compile(schema);
      expect([validate(example), validate.errors]).toEqual([true, null]);
    }
  });

  it('accepts exactly the bodies that the gateway accepts', () => {
    const differences: string[] = [];
    let accepted = 0;
    let refused = 0;
    for (const contract of operations) {
      const { requestBody } = described.find(({ operationId }) => operationId === contract.id) ?? {};
      if (requestBody === undefined) continue;
      const { schema, example } = requestBody.content['application/json'];
      const accepts = compile(schema);
      const body = compileFile(applyRules((contract.body ?? {}) as JsonSchema));
      const item = contract.item === undefined ? undefined : compileFile(applyRules(contract.item as JsonSchema));
      for (const input of [example, ...changesOf(example)]) {
        const items = isRecord(input) && Array.isArray(input['items']) ? (input['items'] as unknown[]) : [];
        const errors = [body(input), ...items.map((each) => item?.(each))].flatMap((found) =>
          Object.entries(found ?? {}),
        );
        const isValid = errors.length === 0;
        if (isValid) accepted += 1;
        else refused += 1;
        if (accepts(input) !== isValid) differences.push(`${contract.id} ${String(isValid)}: ${JSON.stringify(input)}`);
      }
    }
    expect(differences).toEqual([]);
    expect(Math.min(accepted, refused)).toBeGreaterThan(50);
  });
});
