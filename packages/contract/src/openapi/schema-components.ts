import { filterDocument } from '../schemas/search.js';
import { forGenerators, type Side } from './for-generators.js';
import { shownChecks } from './shown-checks.js';
import type { CheckName } from '../validate/checks.js';
import { isRecord, mapSubschemas, type JsonSchema } from '../validate/schema-walk.js';

const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

/** A schema with all that is in it, as one side has it. */
const shownTo = (schema: JsonSchema, side: Side): JsonSchema =>
  mapSubschemas(forGenerators(schema, side), (inner) => shownTo(inner, side));

const annotations = ({ description, examples }: JsonSchema): JsonSchema => ({
  ...(description === undefined ? {} : { description }),
  ...(examples === undefined ? {} : { examples }),
});

/**
 * The schema with what the document can say of its rules: of `x-check`, and of rules between properties in `allOf` and
 * `x-rules`. Generators ignore `if`, but not `allOf`.
 */
const withRules = (schema: JsonSchema, side: Side): JsonSchema => {
  const { 'x-check': check, 'x-rules': rules, allOf, ...rest } = schema;
  if (side === 'response') return rest;
  const [condition] = Array.isArray(allOf) ? (allOf as JsonSchema[]) : [];
  return { ...shownChecks[check as CheckName], ...rest, ...condition, ...(rules as JsonSchema | undefined) };
};

/** Collects named schemas. A schema with a `title` becomes a component with that name and is referenced where it is used. */
export class SchemaComponents {
  readonly #sources = new Map<string, string>();
  readonly #components = new Map<string, JsonSchema>();

  /**
   * The schema in the document's form, with references to its named parts.
   * @param side - whether requests or responses have it
   * @throws Error for two schemas with the same name, and for one that differs in requests and responses
   */
  place(schema: JsonSchema, side: Side): JsonSchema {
    const { 'x-document': shown, ...rest } = schema;
    const own = withRules(rest, side);
    if (isRecord(shown)) {
      const isNamed = typeof shown['title'] === 'string';
      return isNamed
        ? { ...this.place(shown, side), ...annotations(own) }
        : this.place({ ...shown, ...annotations(own) }, side);
    }
    if (own['$ref'] === referenceTo('Filter').$ref) this.#define('Filter', filterDocument, side);
    const { title, ...unnamed } = own;
    if (typeof title !== 'string') return this.#inner(own, side);
    if (own['enum'] !== undefined) return this.#placeEnum(title, unnamed, side);
    this.#define(title, own, side);
    return referenceTo(title);
  }

  /** The components so far, by name. */
  toJson(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** A named enum becomes a component of requests. In responses it stays a text with known values. */
  #placeEnum(title: string, schema: JsonSchema, side: Side): JsonSchema {
    const { description, examples, ...shown } = this.#inner(schema, side);
    const own = annotations({ description, examples });
    if (side === 'response') return { ...own, ...shown };
    const [values = shown, ...others] = (shown['anyOf'] ?? []) as readonly JsonSchema[];
    this.#define(title, { title, ...values }, side);
    return { ...own, ...(others.length === 0 ? referenceTo(title) : { anyOf: [referenceTo(title), ...others] }) };
  }

  #inner(schema: JsonSchema, side: Side): JsonSchema {
    return mapSubschemas(forGenerators(schema, side), (inner) => this.place(inner, side));
  }

  #define(name: string, schema: JsonSchema, side: Side): void {
    const source = JSON.stringify(shownTo(schema, side));
    const known = this.#sources.get(name);
    if (known !== undefined && known !== source) throw new Error(`Two schemas are named ${name}`);
    if (known !== undefined) return;
    // Registers the name before its parts, because a filter contains filters.
    this.#sources.set(name, source);
    this.#components.set(name, this.#inner(schema, side));
  }
}
