import { isRecord, type JsonSchema } from '../validate/schema-walk.js';

/** Marks an object of a request that also accepts `custom__<slug>` keys, which the document does not list. */
export const customKeysNote = 'x-custom-keys';

/** The pattern of the keys that `additionalProperties` describes. */
const keyPatternNote = 'x-key-pattern';

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

/** The keywords that speak of values of one type. */
const keywordsOf: Readonly<Record<string, readonly string[]>> = {
  array: ['items', 'minItems', 'maxItems', 'uniqueItems'],
  string: ['minLength', 'maxLength', 'pattern', 'format'],
  number: ['minimum', 'maximum'],
  integer: ['minimum', 'maximum'],
  object: ['properties', 'patternProperties', 'additionalProperties', 'required', 'minProperties', 'maxProperties'],
};
const typedKeywords = new Set(Object.values(keywordsOf).flat());

const only = (schema: JsonSchema, keywords: readonly string[]): JsonSchema =>
  Object.fromEntries(Object.entries(schema).filter(([keyword]) => keywords.includes(keyword)));

/** A choice of single types instead of several in one `type`, for which generators write types that do not exist. */
const withoutSeveralTypes = (schema: JsonSchema): JsonSchema => {
  const { type, ...rest } = schema;
  if (!Array.isArray(type) || type.filter((name) => name !== 'null').length < 2) return schema;
  const shared = Object.keys(rest).filter((keyword) => !typedKeywords.has(keyword));
  const choices = (type as string[]).map((name) => ({ type: name, ...only(rest, keywordsOf[name] ?? []) }));
  return { ...only(rest, shared), anyOf: choices };
};

const int32Max = 2 ** 31 - 1;

/** The sizes of numbers: without them, generators of Java, C# and Go take 32 bits, which hold no milliseconds and no large amount. */
const withFormat = (schema: JsonSchema): JsonSchema => {
  const { type, maximum, format } = schema;
  const types = [type].flat();
  if (format !== undefined) return schema;
  if (types.includes('number')) return { ...schema, format: 'double' };
  if (!types.includes('integer')) return schema;
  return { ...schema, format: typeof maximum === 'number' && maximum <= int32Max ? 'int32' : 'int64' };
};

/**
 * A part of a response, which later versions may add to: it names the known values of an enum and refuses neither others nor new
 * properties. A value that is always the same shows only its type, because generated clients refuse any other one.
 */
const open = (schema: JsonSchema): JsonSchema => {
  const { enum: values, const: constant, additionalProperties, patternProperties, ...rest } = schema;
  const [pattern, byPattern] = Object.entries((patternProperties as object | undefined) ?? {})[0] ?? [];
  const more: unknown = byPattern ?? (additionalProperties === false ? undefined : additionalProperties);
  return {
    ...rest,
    ...(typeof constant === 'number' ? { type: 'integer' } : {}),
    ...(values === undefined ? {} : { 'x-extensible-enum': (values as unknown[]).filter((value) => value !== null) }),
    ...(more === undefined ? {} : { additionalProperties: more }),
    ...(pattern === undefined ? {} : { [keyPatternNote]: pattern }),
  };
};

/** Who sends a schema's value: a caller, or a gateway or worker. */
export type Side = 'request' | 'response';

/**
 * A schema as the document shows it, in a form that common generators understand: docs/decisions/0021-openapi-for-generators.md. That of
 * a request is equivalent to the one that validates, except for `custom__<slug>` keys and for short forms that the texts describe.
 *
 * `{ enum: ['a', null], type: ['string', 'null'] }` → `{ anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }`
 */
export const forGenerators = (schema: JsonSchema, side: Side): JsonSchema => {
  const plain = withoutSeveralTypes(withoutCustomKeys(withoutDefault(schema)));
  return withFormat(side === 'request' ? withoutNullInEnum(plain) : open(plain));
};
