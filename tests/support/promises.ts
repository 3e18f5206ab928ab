import type { Command } from 'commander';

/** A part of an OpenAPI document. */
export type Json = Readonly<Record<string, unknown>>;

const partsOf = (value: unknown) => Object.entries((value ?? {}) as Readonly<Record<string, Json>>);
const valuesOf = (value: unknown): string[] =>
  value === undefined ? [] : [value].flat().map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
const schemaIn = (part: unknown): Json =>
  ((part as { content?: Readonly<Record<string, Json>> } | undefined)?.content?.['application/json']?.['schema'] ??
    {}) as Json;

/**
 * The promises of a version: the facts of each part, such as `{ 'response Account.domain': ['+is string', '-is null'] }`. Callers
 * rely on a fact with `+`: it must not disappear. A fact with `-` limits callers: it must not appear for a part of the last
 * release.
 */
export type Promises = Readonly<Record<string, readonly string[]>>;

/** Reads the promises of an OpenAPI document. */
class Reader {
  readonly promises: Record<string, string[]> = {};
  readonly #document: Json;

  constructor(document: Json) {
    this.#document = document;
    for (const [path, item] of partsOf(document['paths']))
      for (const [method, operation] of partsOf(item)) this.#addOperation(`${method.toUpperCase()} ${path}`, operation);
    this.#addSchema({ $ref: '#/components/schemas/Error' }, 'every error', false);
  }

  readonly #add = (part: string, ...facts: string[]) => (this.promises[part] ??= []).push(...facts);
  readonly #keep = (part: string, fact: string) => this.#add(part, `+${fact}`);
  readonly #limit = (part: string, fact: string) => this.#add(part, `-${fact}`);

  #resolve(part: Json): Json {
    const keys = typeof part['$ref'] === 'string' ? part['$ref'].split('/').slice(1) : [];
    return keys.length === 0 ? part : (keys.reduce<unknown>((all, key) => (all as Json)[key], this.#document) as Json);
  }

  #addOperation(path: string, operation: Json): void {
    this.#keep(path, `is ${String(operation['operationId'])}`);
    if (operation['security'] === undefined) this.#limit(path, 'needs a key');
    for (const parameter of ((operation['parameters'] ?? []) as Json[]).map((each) => this.#resolve(each))) {
      const name = `${String(parameter['in'])} ${String(parameter['name'])}`;
      if (parameter['required'] === true) this.#limit(path, `requires ${name}`);
      this.#addSchema(parameter['schema'] as Json, `${path} ${name}`, true);
    }
    if (operation['requestBody'] !== undefined)
      this.#addSchema(schemaIn(operation['requestBody']), `${path} body`, true);
    for (const [status, response] of partsOf(operation['responses'])) {
      this.#keep(path, `answers ${status}`);
      if (!status.startsWith('2')) continue;
      for (const [name] of partsOf(response['headers'])) this.#keep(path, `has the header ${name}`);
      this.#addSchema(schemaIn(response), `${path} response`, false);
    }
  }

  /** Later, a request may have more types of values and need fewer keys. For a response it is the other way round. */
  #addSchema(schema: Json, path: string, isRequest: boolean): void {
    const [widen, narrow] = isRequest ? [this.#keep, this.#limit] : [this.#limit, this.#keep];
    this.#add(path);
    for (const name of valuesOf(schema['$ref']).map((each) => each.replace(/.*\//, ''))) {
      const component = `${isRequest ? 'request' : 'response'} ${name}`;
      widen(path, `is ${name}`);
      if (this.promises[component] === undefined) this.#addSchema(this.#resolve(schema), component, isRequest);
    }
    for (const type of valuesOf(schema['type'])) widen(path, `is ${type}`);
    // A response may get new values: clients accept those that they do not know.
    for (const each of valuesOf(schema['enum'] ?? schema['x-extensible-enum'])) this.#keep(path, `may be ${each}`);
    for (const each of valuesOf(schema['format'] ?? schema['pattern'])) narrow(path, `has the form ${each}`);
    for (const key of valuesOf(schema['required'])) narrow(path, `${isRequest ? 'requires' : 'always has'} ${key}`);
    if (schema['x-custom-keys'] === true) this.#keep(path, 'may have custom keys');
    if (isRequest && schema['additionalProperties'] === false) this.#limit(path, 'has no other keys');
    if (isRequest && schema['enum'] !== undefined) this.#limit(path, 'has no other values');
    for (const [keyword, bound] of Object.entries(schema))
      if (typeof bound === 'number') narrow(path, `${keyword} ${bound}`);
    const { if: condition, then, else: otherwise, dependentSchemas: dependent } = schema;
    if (isRequest && (condition ?? dependent) !== undefined)
      this.#limit(path, `has the rule ${JSON.stringify({ if: condition, then, else: otherwise, dependent })}`);
    const { items, additionalProperties: others, anyOf = [], oneOf = [] } = schema;
    for (const choice of [anyOf, oneOf].flat()) this.#addSchema(choice as Json, path, isRequest);
    for (const [key, part] of [...partsOf(schema['properties']), ...partsOf(schema['patternProperties'])])
      this.#addSchema(part, `${path}.${key}`, isRequest);
    if (items !== undefined) this.#addSchema(items as Json, `${path}[]`, isRequest);
    if (typeof others === 'object') this.#addSchema(others as Json, `${path}.*`, isRequest);
  }
}

/** The promises of an OpenAPI document. */
export const promisesOf = (document: Json): Promises => new Reader(document).promises;

/** The promises of a command and of the commands in it. */
export const promisesOfCommand = (command: Command, path = command.name()): Promises => {
  const inputs = [
    ...command.registeredArguments.map((each, index) => ({ each, name: `argument ${index + 1}`, must: each.required })),
    ...command.options.map((each) => ({ each, name: each.long ?? '', must: each.mandatory })),
  ];
  const facts = inputs.map(({ each, name }): [string, string[]] => [
    `${path} ${name}`,
    [
      ...('long' in each ? [`+takes ${each.required ? 'a' : 'no'} value`] : []),
      ...valuesOf(each.defaultValue).map((value) => `+is ${value} by default`),
      ...valuesOf('envVar' in each ? each.envVar : undefined).map((name) => `+may be in ${name}`),
      ...(each.argChoices ?? []).map((choice) => `+may be ${choice}`),
    ],
  ]);
  return {
    [path]: inputs.filter(({ must }) => must).map(({ name }) => `-requires ${name}`),
    ...Object.fromEntries(facts),
    ...Object.fromEntries(
      command.commands.flatMap((each) => Object.entries(promisesOfCommand(each, `${path} ${each.name()}`))),
    ),
  };
};

/** `-maxLength 9` → `-maxLength` and -9. A higher number is stricter. */
const strictness = (fact: string): [text: string, strict: number] => {
  const [, text = fact, bound = '0'] = /^(.(?:min|max)\w+) (\S+)$/.exec(fact) ?? [];
  return [text, text.startsWith('max', 1) ? -Number(bound) : Number(bound)];
};

/** The facts with a sign for which the other facts have none that is as strict. */
const missingIn = (others: readonly string[], facts: readonly string[], sign: string): string[] => {
  const strict = new Map(others.map(strictness));
  return facts.filter((fact) => {
    const [text, own] = strictness(fact);
    return fact.startsWith(sign) && (strict.get(text) ?? -Infinity) < own;
  });
};

/** What breaks callers of the earlier version. What is new has no callers yet, so it may have limits. */
export const breakingChanges = (before: Promises, after: Promises): string[] => {
  const gone = Object.keys(before).filter((part) => after[part] === undefined);
  const isInGonePart = (part: string) =>
    gone.some((outer) => part.startsWith(outer) && /^[.[ ]/.test(part.slice(outer.length)));
  const changes = Object.entries(before).flatMap(([part, facts]) => {
    const now = after[part];
    if (now === undefined) return [];
    return [
      ...missingIn(now, facts, '+').map((fact) => `gone: ${part}: ${fact.slice(1)}`),
      ...missingIn(facts, now, '-').map((fact) => `new: ${part}: ${fact.slice(1)}`),
    ];
  });
  return [...gone.filter((part) => !isInGonePart(part)).map((part) => `gone: ${part}`), ...changes];
};
