import { isRecord, type JsonSchema } from '../validate/schema-walk.js';

/** Marks an object of a request that also accepts `custom__<slug>` keys, which the document does not list. */
export const customKeysNote = 'x-custom-keys';

const withDescription = (schema: JsonSchema, sentence: string): JsonSchema => {
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${description} ${sentence}` : sentence };
};

/** Writes a default as a sentence: generators treat a property with a default as always present. */
const withoutDefault = ({ default: preset, ...rest }: JsonSchema): JsonSchema =>
  preset === undefined
    ? rest
    : withDescription(rest, `Default: ${typeof preset === 'string' ? preset : JSON.stringify(preset)}.`);

/**
 * An object of a request without its pattern of `custom__<slug>` keys: generators would accept any key, including typos. The same values
 * can be sent under `custom_fields`. Patterns in responses stay.
 */
const withoutCustomKeys = (schema: JsonSchema): JsonSchema => {
  const { patternProperties } = schema;
  if (!isRecord(patternProperties) || patternProperties['^custom__'] === undefined) return schema;
  const kept = Object.entries(schema).filter(([key]) => key !== 'patternProperties' && key !== 'maxProperties');
  return { ...Object.fromEntries(kept), [customKeysNote]: true };
};

/** An enum next to `null` instead of one that includes it: most generators would create a value called "null". */
const withoutNullInEnum = (schema: JsonSchema): JsonSchema => {
  const { type, enum: values, description, examples, ...rest } = schema;
  if (!Array.isArray(values) || !values.includes(null)) return schema;
  const own = (type as string[]).filter((name) => name !== 'null');
  return {
    ...(description === undefined ? {} : { description }),
    ...(examples === undefined ? {} : { examples }),
    ...rest,
    anyOf: [
      { type: own.length === 1 ? own[0] : own, enum: values.filter((value) => value !== null) },
      { type: 'null' },
    ],
  };
};

/**
 * A schema as the document shows it: equivalent to the one that validates, except for `custom__<slug>` keys, in a form that common
 * generators understand: docs/decisions/0021-openapi-for-generators.md.
 *
 * `{ enum: ['a', null], type: ['string', 'null'] }` → `{ anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }`
 */
export const forGenerators = (schema: JsonSchema): JsonSchema =>
  withoutNullInEnum(withoutCustomKeys(withoutDefault(schema)));
