import { filterDocument } from '../schemas/search.js';
import { forGenerators } from './for-generators.js';
import { isRecord, mapSubschemas, type JsonSchema } from '../validate/schema-walk.js';

const referenceTo = (name: string) => ({ $ref: `#/components/schemas/${name}` });

const annotations = ({ description, examples }: JsonSchema): JsonSchema => ({
  ...(description === undefined ? {} : { description }),
  ...(examples === undefined ? {} : { examples }),
});

/** Collects named schemas. A schema with a `title` becomes a component with that name and is referenced where it is used. */
export class SchemaComponents {
  readonly #sources = new Map<string, string>();
  readonly #components = new Map<string, JsonSchema>();

  /** The schema in the document's form, with references to its named parts. @throws Error for two schemas with the same name */
  place(schema: JsonSchema): JsonSchema {
    const { 'x-document': shown, ...rest } = schema;
    // Leaves out conditions and rules that only code can check; the descriptions explain them.
    const own = Object.fromEntries(Object.entries(rest).filter(([keyword]) => !['x-check', 'allOf'].includes(keyword)));
    if (isRecord(shown)) {
      const isNamed = typeof shown['title'] === 'string';
      return isNamed ? { ...this.place(shown), ...annotations(own) } : this.place({ ...shown, ...annotations(own) });
    }
    if (own['$ref'] === referenceTo('Filter').$ref) this.#define('Filter', filterDocument);
    if (typeof own['title'] !== 'string') return mapSubschemas(forGenerators(own), (inner) => this.place(inner));
    this.#define(own['title'], own);
    return referenceTo(own['title']);
  }

  /** The components so far, by name. */
  toJson(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.#components].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  #define(name: string, schema: JsonSchema): void {
    const source = JSON.stringify(schema);
    const known = this.#sources.get(name);
    if (known !== undefined && known !== source) throw new Error(`Two schemas are named ${name}`);
    if (known !== undefined) return;
    // Registers the name before its parts, because a filter contains filters.
    this.#sources.set(name, source);
    this.#components.set(
      name,
      mapSubschemas(forGenerators(schema), (inner) => this.place(inner)),
    );
  }
}
