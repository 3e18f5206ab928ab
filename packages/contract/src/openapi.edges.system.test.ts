// The documents are as narrow as the gateways: a validator made from the document refuses what a gateway refuses for its
// form, and accepts what the gateway accepts. The validator is not ours: plain ajv with its own formats.
import { describe, expect, it } from '@jest/globals';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { buildOpenApiDocument } from './openapi.js';
import { describedOperations } from './operations/all.js';
import { applyRules, isRecord, type JsonSchema } from './validate/schema-walk.js';
import { compileFile } from './validation.js';

const document = buildOpenApiDocument('both', describedOperations);
const id = 'https://crm.example/openapi';
const ajv = new Ajv2020({ strict: false });
formats.default(ajv);
for (const size of ['int32', 'int64', 'double']) ajv.addFormat(size, true);
ajv.addSchema({ ...document, $id: id });

const compileShown = (schema: JsonSchema) =>
  ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components', `"${id}#/components`)) as object);

const resolve = (schema: JsonSchema): JsonSchema => {
  const { $ref } = schema;
  if (typeof $ref !== 'string') return schema;
  const { schemas } = document.components as { schemas: Record<string, JsonSchema> };
  return schemas[$ref.replace('#/components/schemas/', '')] ?? {};
};

/** The one schema in a choice with null, or the schema itself. */
const withoutNull = (schema: JsonSchema): JsonSchema => {
  const shown = resolve(schema);
  const choices = (shown['anyOf'] ?? []) as JsonSchema[];
  const [other] = choices.filter(({ type }) => type !== 'null');
  return other !== undefined && choices.length === 2 ? withoutNull(other) : shown;
};

type Place = 'path' | 'query' | 'body';
interface Parameter {
  readonly name: string;
  readonly in: Place;
  readonly schema: JsonSchema;
}
interface Shown {
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly 'application/json': { readonly schema: JsonSchema } } };
}
const shownOf = (path: string, method: string) => document.paths[path]?.[method] as Shown;
const bodyOf = (path: string, method: string) => shownOf(path, method).requestBody?.content['application/json'].schema;

/** One value that both describe: a property, an item of a list or a parameter. */
interface Pair {
  readonly path: string;
  readonly place: Place;
  readonly source: JsonSchema;
  readonly shown: JsonSchema;
}

function* pairsIn(path: string, place: Place, source: JsonSchema, shown: JsonSchema): Generator<Pair> {
  // The texts describe short forms of these, and `domain` reads their parts with the fields of the organization.
  if (/ body\.(filters|sort|fields)$/.test(path)) return;
  yield { path, place, source, shown };
  const inner = withoutNull(shown);
  for (const [name, property] of Object.entries((source['properties'] ?? {}) as Record<string, JsonSchema>)) {
    const described = (inner['properties'] as Record<string, JsonSchema> | undefined)?.[name];
    if (described === undefined) throw new Error(`${path}.${name} is not in the document`);
    yield* pairsIn(`${path}.${name}`, place, property, described);
  }
  if (isRecord(source['items'])) yield* pairsIn(`${path}[]`, place, source['items'], inner['items'] as JsonSchema);
}

const pairs: readonly Pair[] = describedOperations.flatMap((contract) => {
  const { path, method } = contract;
  const { parameters } = shownOf(path, method);
  const inPlace = (place: Place, schema: unknown) =>
    Object.entries(((schema as JsonSchema | undefined)?.['properties'] ?? {}) as Record<string, JsonSchema>).flatMap(
      ([name, source]) => {
        const shown = parameters.find((each) => each.in === place && each.name === name);
        if (shown === undefined) throw new Error(`${contract.id} ${name} is not in the document`);
        return [...pairsIn(`${contract.id} ${place} ${name}`, place, source, shown.schema)];
      },
    );
  const body = bodyOf(path, method);
  const items = withoutNull(body ?? {})['properties'] as { items?: JsonSchema } | undefined;
  const item = contract.item as JsonSchema | undefined;
  return [
    ...inPlace('path', contract.params),
    ...inPlace('query', contract.query),
    // An invalid item of a bulk call fails alone, so the gateway checks items by themselves.
    ...(body === undefined || item !== undefined
      ? []
      : pairsIn(`${contract.id} body`, 'body', contract.body as JsonSchema, body)),
    ...(item === undefined ? [] : pairsIn(`${contract.id} item`, 'body', item, items?.items?.['items'] as JsonSchema)),
  ];
});

/** Texts of every form that a rule of `domain` knows, and texts that are nearly of it. */
const texts = [
  ...[
    '',
    ' ',
    '\u00a0\u200b',
    'a',
    'A',
    'no such value',
    ' padded ',
    '1',
    '0',
    '-1',
    '1.5',
    '1e2',
    '31',
    '501',
    'all',
    'true',
  ],
  ...['ada@acme.com', ' Ada.B+c@Müller.example ', 'ada@acme', 'ada', '@acme.com', '<ada@acme.com>', 'a@b@acme.com'],
  ...[
    'ada@acme。com',
    'ada lovelace@acme.com',
    `${'a'.repeat(65)}@acme.com`,
    `a@${'b.'.repeat(125)}co`,
    'ada@acme.com\u200b',
  ],
  ...[
    'acme.com',
    'https://www.acme.com/path?q=1',
    'acme',
    'müller.example',
    'http://localhost',
    'acme。com',
    '127.0.0.1',
  ],
  ...[
    'EUR',
    'eur',
    'EURO',
    'EU',
    'blue',
    'Blue',
    'mauve',
    '#2563eb',
    '#2563EB',
    '#2563e',
    '#2563ebf',
    'deal_tier',
    'Deal',
    '1st',
  ],
  ...[
    '2026-03-02',
    '2026-3-2',
    '2026-03-02T09:30:00Z',
    '2026-03-02 09:30+02',
    '2026-03-02T09:30',
    '02.03.2026',
    'tomorrow',
  ],
  ...[
    '0197a3c4-5b1e-7c3a-9f00-2d6f1c0a7b11',
    '0197A3C4-5B1E-7C3A-9F00-2D6F1C0A7B11',
    '0197a3c45b1e7c3a9f002d6f1c0a7b11',
  ],
  ...['+14155550123', 'call me', '66b2f6a1c3d94e5a-16384-16923-1:1042', ':1', '1:2:3', '😀', 'a\nb'],
];
const numbers = [
  0,
  1,
  -1,
  1.5,
  5,
  100,
  101,
  1e15,
  -1e15,
  999_999_999_999_999,
  2 ** 31,
  253_402_300_800_000,
  1_798_675_200_000,
];
const others = [null, true, [], {}, [null], [[]], { unknown_key: 1 }];

const edgesOf = ({ source, place }: Pair): unknown[] => {
  const { maxLength, maxItems, maxProperties, minimum, maximum, items, examples = [] } = source;
  const sized = (limit: unknown, make: (size: number) => unknown) =>
    typeof limit === 'number' && limit < 60_000 ? [make(limit), make(limit + 1)] : [];
  const bounds = [minimum, maximum].flatMap((bound) =>
    typeof bound === 'number' ? [bound - 1, bound, bound + 1] : [],
  );
  const example = isRecord(items) ? ((items['examples'] as unknown[] | undefined)?.[0] ?? 'a') : 'a';
  const long = sized(maxLength, (size) => 'a'.repeat(size));
  if (place !== 'body') return [...texts, ...long];
  return [
    ...[...texts, ...numbers, ...others, ...(examples as unknown[]), ...bounds, ...long],
    ...sized(maxLength, (size) => `${'a'.repeat(size - 4)}.com`),
    ...sized(maxLength, (size) => `ada@${'b.'.repeat(Math.max(0, Math.ceil((size - 7) / 2)))}com`.slice(-size)),
    ...sized(maxItems, (size) => Array.from({ length: size }, () => example)),
    ...sized(maxProperties, (size) => Object.fromEntries(Array.from({ length: size }, (_each, at) => [`f${at}`, 1]))),
  ];
};

/** What only a gateway refuses, by the rule: why the document cannot. */
const onlyRefusedByGateway: readonly (readonly [rule: string, values: RegExp, reason: string])[] = [
  [
    'domain',
    /^"(\d.*|<.*|a{64}.*|da@b.*)"?$/,
    'its host is read by UTS-46: numbers as last parts, long labels, its characters',
  ],
  ['website', /@|^"(\d.*|a{64}.*|😀")/u, 'as a domain'],
  ['requiredName', /^"[\s\u200b]+"$/u, 'a pattern knows white space, but not all invisible characters'],
];

const sent = (value: unknown, shown: JsonSchema, place: Place): unknown =>
  place !== 'body' && withoutNull(shown)['type'] === 'integer' && /^-?\d+(\.\d+)?$/.test(String(value))
    ? Number(value)
    : place !== 'body' && withoutNull(shown)['type'] === 'array'
      ? [value]
      : value;

describe('the documents refuse and accept what the gateways do', () => {
  it('for edge values of every property, item and parameter', () => {
    const seen = new Set<string>();
    const differences: string[] = [];
    let refused = 0;
    for (const pair of pairs) {
      const { path, place, source, shown } = pair;
      const key = JSON.stringify([place, source, shown]);
      if (seen.has(key)) continue;
      seen.add(key);
      const gateway = compileFile(applyRules(source));
      const accepts = compileShown(shown);
      for (const value of edgesOf(pair)) {
        // A blank parameter counts as not sent.
        if (place !== 'body' && String(value).trim() === '') continue;
        const input = sent(value, shown, place);
        const isAccepted = gateway(place !== 'body' && Array.isArray(input) ? input : value) === null;
        if (!isAccepted) refused += 1;
        if (accepts(input) === isAccepted) continue;
        const text = JSON.stringify(value).slice(0, 80);
        const isKnown = onlyRefusedByGateway.some(([rule, values]) => rule === source['x-check'] && values.test(text));
        if (!isAccepted && isKnown) continue;
        differences.push(`${path}: the gateway ${isAccepted ? 'accepts' : 'refuses'} ${text}`);
      }
    }
    expect(differences).toEqual([]);
    expect(refused).toBeGreaterThan(1_000);
  });
});
