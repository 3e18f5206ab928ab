import fc from 'fast-check';
import { type Operation, type Parameter, type Schema, typesOf } from './operations.js';

/** A request of an operation, with its parameters as texts. */
export interface DocumentRequest {
  readonly operation: Operation;
  readonly path: Readonly<Record<string, string>>;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * Ids and positions from earlier answers, by the example of their schema. A document has one example id per kind of record, so that the
 * id of an account is sent where the document shows the example of one.
 */
export class KnownValues {
  readonly #values = new Map<string, unknown[]>();

  /** The known values for an example. */
  of(example: unknown): readonly unknown[] {
    return this.#values.get(JSON.stringify(example)) ?? [];
  }

  /** Remembers the values in an answer. */
  harvest(operation: Operation, unresolved: Schema, value: unknown): void {
    const schema = operation.resolve(unresolved);
    for (const choice of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) this.harvest(operation, choice, value);
    if (Array.isArray(value)) for (const each of value) this.harvest(operation, schema.items ?? {}, each);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, each] of Object.entries(value)) this.harvest(operation, schema.properties?.[key] ?? {}, each);
    } else if (isKept(schema, value)) {
      const key = JSON.stringify(schema.examples?.[0]);
      const known = this.#values.get(key) ?? [];
      this.#values.set(key, [...known.filter((each) => each !== value), value].slice(-50));
    }
  }
}

const isKept = ({ format, examples }: Schema, value: unknown): boolean =>
  examples !== undefined && (typeof value === 'number' || (typeof value === 'string' && format === 'uuid'));

/** How unusual a value is: `plain` stays near the examples, `wild` is anything that the schema allows. */
export type Manner = 'plain' | 'wild';

const mostDepth = 3;
const mostItems = 3;
const mostText = 40;

/** `ada@acme.com` → `ada7@acme.com`: another value in the form of the example. */
const varied = (example: string): fc.Arbitrary<string> =>
  fc.nat(99).map((n) => example.replace(/[A-Za-z]+/, (word) => `${word}${n}`));

const textOf = ({ examples = [], minLength = 0, maxLength = 10_000 }: Schema, manner: Manner): fc.Arbitrary<string> => {
  const samples = examples.filter((example) => typeof example === 'string');
  const near =
    samples.length === 0
      ? []
      : [
          { arbitrary: fc.constantFrom(...samples), weight: 2 },
          { arbitrary: fc.constantFrom(...samples).chain(varied), weight: 1 },
        ];
  const free = fc.string({ minLength, maxLength: Math.max(minLength, Math.min(maxLength, mostText)) });
  const longest = fc.constant('x'.repeat(maxLength));
  const far = [
    { arbitrary: free, weight: 2 },
    { arbitrary: longest, weight: 1 },
  ];
  return fc.oneof(...near, ...(manner === 'wild' || near.length === 0 ? far : [])).filter((text) => {
    return text.length >= minLength && text.length <= maxLength;
  });
};

/** Generates values for the schemas of one operation. */
export class Values {
  constructor(
    private readonly operation: Operation,
    private readonly known: KnownValues,
    private readonly manner: Manner,
  ) {}

  /** Values that a schema allows. */
  of(unresolved: Schema, depth = 0): fc.Arbitrary<unknown> {
    const schema = this.operation.resolve(unresolved);
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
    const choices = schema.anyOf ?? schema.oneOf;
    // The first choice of a recursive schema ends the recursion.
    if (choices !== undefined) {
      const open = depth >= mostDepth ? choices.slice(0, 1) : choices;
      return fc.oneof(...open.map((choice) => this.of(choice, depth + 1)));
    }
    const types = typesOf(schema);
    if (types.length === 0) return fc.jsonValue({ maxDepth: 1 });
    const other = types.filter((type) => type !== 'null');
    if (other.length === 0) return fc.constant(null);
    const some = fc.oneof(...other.map((type) => this.#ofType(type, schema, depth)));
    return types.includes('null') ? fc.option(some, { freq: 5 }) : some;
  }

  #ofType(type: string, schema: Schema, depth: number): fc.Arbitrary<unknown> {
    if (type === 'string') return this.#text(schema);
    if (type === 'boolean') return fc.boolean();
    if (type === 'integer') return this.#integer(schema);
    if (type === 'number') return fc.oneof(this.#integer(schema), fc.constantFrom(...(schema.examples ?? [0.5])));
    if (type === 'array') return this.#list(schema, depth);
    return this.#object(schema, depth);
  }

  #text(schema: Schema): fc.Arbitrary<unknown> {
    if (schema.pattern !== undefined && this.manner === 'wild') return fc.stringMatching(new RegExp(schema.pattern));
    if (schema.format === 'uuid') return this.#known(schema, fc.uuid());
    if (schema.format === 'date-time') return fc.date({ noInvalidDate: true }).map((date) => date.toISOString());
    return textOf(schema, this.manner);
  }

  #integer(schema: Schema): fc.Arbitrary<unknown> {
    const { minimum: min = -1_000_000_000_000, maximum: max = 1_000_000_000_000 } = schema;
    return this.#known(schema, fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max)));
  }

  /** Mostly a value of an earlier answer with the same example. */
  #known({ examples = [] }: Schema, otherwise: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
    const samples = examples.filter((example) => typeof example === 'number');
    const near = [...this.known.of(examples[0]), ...samples];
    if (near.length === 0) return otherwise;
    return fc.oneof({ arbitrary: fc.constantFrom(...near), weight: 9 }, { arbitrary: otherwise, weight: 1 });
  }

  #list({ items = {}, minItems = 0, maxItems = mostItems }: Schema, depth: number): fc.Arbitrary<unknown> {
    const maxLength = Math.max(minItems, Math.min(maxItems, mostItems));
    return fc.array(this.of(items, depth + 1), { minLength: minItems, maxLength });
  }

  #object({ properties = {}, required = [], additionalProperties }: Schema, depth: number): fc.Arbitrary<unknown> {
    const values = mapEntries(properties, (property) => this.of(property, depth + 1));
    const some = fc
      .record(values)
      .chain((all) =>
        fc
          .subarray(Object.keys(all))
          .map((chosen) =>
            Object.fromEntries(Object.entries(all).filter(([key]) => required.includes(key) || chosen.includes(key))),
          ),
      );
    if (typeof additionalProperties !== 'object' || this.manner === 'plain') return some;
    const further = fc.dictionary(fc.stringMatching(/^[a-z]{3,9}$/), this.of(additionalProperties, depth + 1), {
      maxKeys: 1,
    });
    return fc.tuple(some, further).map(([own, more]) => ({ ...more, ...own }));
  }
}

const mapEntries = <T, U>(map: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> =>
  Object.fromEntries(Object.entries(map).map(([key, value]) => [key, change(value)]));

/** A value as text, for query strings and paths. */
const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** Whether a text can be a path segment or a header unchanged. */
const isSegment = (text: string): boolean => !/^\.{0,2}$/.test(text);
const isHeader = (text: string): boolean => /^[!-~]([ -~]*[!-~])?$/.test(text);

/** Valid requests of an operation, according to its document. */
export const validRequests = (
  operation: Operation,
  known: KnownValues,
  manner: Manner,
): fc.Arbitrary<DocumentRequest> => {
  const values = new Values(operation, known, manner);
  const texts = (place: Parameter['in'], isPossible: (text: string) => boolean): fc.Arbitrary<[string, string][]> =>
    fc
      .tuple(
        ...operation.parameters
          .filter((parameter) => parameter.in === place)
          .map(({ name, required, schema }) => {
            const pairs = values
              .of(schema)
              .map((value) =>
                (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, asText(each)]),
              )
              .filter((all) => all.every(([, text]) => isPossible(text)));
            // Fewer requests have headers, because no example shows their values.
            const freq = place === 'header' ? 1 : 2;
            return required ? pairs : fc.option(pairs, { freq, nil: [] });
          }),
      )
      .map((all) => all.flat());
  return fc
    .tuple(
      texts('path', isSegment),
      texts('query', () => true),
      manner === 'wild' ? texts('header', isHeader) : fc.constant([]),
      operation.body === undefined ? fc.constant(undefined) : values.of(operation.body),
    )
    .map(([path, query, headers, body]) => ({
      operation,
      path: Object.fromEntries(path),
      query,
      headers: Object.fromEntries(headers),
      body,
    }));
};
