import type { Operation, Schema } from './operations.js';
import type { DocumentRequest } from './valid-requests.js';

/** A request that breaks one rule of the document. */
export interface InvalidRequest extends DocumentRequest {
  /** What is wrong with it. */
  readonly fault: string;
  /** The index of the invalid item in a bulk call; the other items may be applied. */
  readonly item?: number | undefined;
}

/** Places inside a body: keys and indexes from the root. */
type Path = readonly (string | number)[];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Every limit in the schemas of an operation. A length of 255, for example, is tried on every text. */
const boundsOf = (operation: Operation, root: Schema): { lengths: number[]; limits: number[]; counts: number[] } => {
  const seen = new Set<Schema>();
  const walk = (unresolved: Schema): void => {
    const schema = operation.resolve(unresolved);
    if (seen.has(schema)) return;
    seen.add(schema);
    const { items, properties = {}, anyOf = [], oneOf = [], additionalProperties } = schema;
    const further = [items, additionalProperties].filter((inner) => typeof inner === 'object');
    for (const inner of [...Object.values(properties), ...anyOf, ...oneOf, ...further]) walk(inner);
  };
  walk(root);
  const all = (pick: (schema: Schema) => number | undefined): number[] => [
    ...new Set([...seen].map(pick).filter((bound) => bound !== undefined)),
  ];
  return {
    lengths: all(({ maxLength }) => maxLength),
    limits: [...all(({ minimum }) => minimum).map((n) => n - 1), ...all(({ maximum }) => maximum).map((n) => n + 1)],
    counts: all(({ maxItems }) => maxItems),
  };
};

/** The places of a value, the root first. */
const placesOf = (value: unknown, path: Path = []): Path[] => {
  const inner = Array.isArray(value) ? [...value.entries()] : isObject(value) ? Object.entries(value) : [];
  return [path, ...inner.flatMap(([key, each]) => placesOf(each, [...path, key]))];
};

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((inner, key) => (inner as Record<string | number, unknown>)[key], value);

/** A copy with another value at a place; `undefined` removes a key. */
const withValue = (value: unknown, [key, ...rest]: Path, replacement: unknown): unknown => {
  if (key === undefined) return replacement;
  if (Array.isArray(value)) {
    return value.map((each: unknown, index) => (index === key ? withValue(each, rest, replacement) : each));
  }
  const { [key]: inner, ...others } = value as Record<string, unknown>;
  const changed = withValue(inner, rest, replacement);
  return changed === undefined ? others : { ...others, [key]: changed };
};

/** Possible replacements of a value. The document's schema decides which ones are invalid. */
const replacementsOf = (value: unknown, bounds: ReturnType<typeof boundsOf>): unknown[] => [
  ...[null, true, 'no such value', '', 0.5, [], {}, ['x'], undefined],
  ...bounds.limits,
  ...(typeof value === 'string' ? bounds.lengths.map((length) => 'x'.repeat(length + 1)) : []),
  ...(Array.isArray(value) && value.length > 0
    ? bounds.counts.map((count) => Array.from({ length: count + 1 }, () => value[0] as unknown))
    : []),
  ...(isObject(value) ? [{ ...value, unknown_key: 1 }] : []),
];

const shown = (value: unknown): string => {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 60 ? `${text.slice(0, 60)}… (${text.length} characters)` : text;
};

/** A body similar to a valid one that the operation's schema refuses: the first such change from an index on, wrapping around. */
const invalidBody = (request: DocumentRequest, from: number): InvalidRequest | undefined => {
  const { operation, body } = request;
  if (operation.body === undefined) return undefined;
  const accepts = operation.compile(operation.body);
  const bounds = boundsOf(operation, operation.body);
  const changes = placesOf(body).flatMap((path) =>
    replacementsOf(valueAt(body, path), bounds)
      .filter((replacement) => replacement !== undefined || path.length > 0)
      .map((replacement) => ({ path, replacement })),
  );
  const start = from % changes.length;
  for (const { path, replacement } of [...changes.slice(start), ...changes.slice(0, start)]) {
    const changed = withValue(body, path, replacement);
    if (accepts(changed)) continue;
    const fault = `${shown(replacement)} at ${path.join('.') || 'the body'}`;
    const item = path[0] === 'items' ? Number(path[1] ?? 0) : undefined;
    return { ...request, body: changed, fault, item };
  }
  return undefined;
};

const wrongTexts = (schema: Schema): string[] => [
  ...(schema.format === 'uuid' ? ['no-uuid'] : []),
  ...(schema.type === 'integer' ? ['many', '1.5', '', '0x1', '1e1'] : []),
  ...(schema.minimum === undefined ? [] : [String(schema.minimum - 1)]),
  ...(schema.maximum === undefined ? [] : [String(schema.maximum + 1)]),
  ...(schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)]),
  ...(schema.enum === undefined ? [] : ['no such value']),
];

const invalidParameters = (request: DocumentRequest): InvalidRequest[] => {
  const invalid: InvalidRequest[] = [];
  const note = (fault: string, change: Partial<DocumentRequest>): void => {
    invalid.push({ ...request, ...change, fault });
  };
  const { operation, path, query, headers } = request;
  for (const { name, in: place, required, schema: unresolved } of operation.parameters) {
    const schema = operation.resolve(unresolved);
    const others = query.filter(([key]) => key !== name);
    if (place === 'query' && required) note(`no ${name}`, { query: others });
    if (place === 'query' && schema.type !== 'array') {
      const value = query.find(([key]) => key === name)?.[1] ?? JSON.stringify(schema.enum?.[0] ?? 1);
      note(`${name} twice`, { query: [...others, [name, value], [name, value]] });
    }
    for (const text of wrongTexts(schema)) {
      const fault = `${shown(text)} as ${name}`;
      if (place === 'query') note(fault, { query: [...others, [name, text]] });
      else if (place === 'path') note(fault, { path: { ...path, [name]: text } });
      else note(fault, { headers: { ...headers, [name]: text } });
    }
  }
  // Health checks may carry any parameter.
  if (!operation.isPublic) note('an unknown parameter', { query: [...query, ['unknown_parameter', '1']] });
  return invalid.filter(({ path: segments }) => Object.values(segments).every((segment) => segment !== ''));
};

/** A request similar to a valid one that the document does not allow. `choice` selects the change. Undefined if any request is valid. */
export const invalidRequest = (request: DocumentRequest, choice: number): InvalidRequest | undefined => {
  const [half, rest] = [choice % 2, Math.floor(choice / 2)];
  const inBody = half === 0 ? invalidBody(request, rest) : undefined;
  if (inBody !== undefined) return inBody;
  const parameters = invalidParameters(request);
  return parameters[rest % parameters.length];
};
