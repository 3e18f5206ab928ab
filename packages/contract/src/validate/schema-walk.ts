/** A schema as plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** Whether a value is an object other than an array. */
export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const schemaKeywords = ['items', 'additionalProperties', 'not', 'if', 'then', 'else'];
const schemaMapKeywords = ['properties', 'patternProperties', '$defs'];
const schemaListKeywords = ['anyOf', 'oneOf', 'allOf', 'prefixItems'];

const mapEntries = (value: Record<string, unknown>, change: (schema: JsonSchema) => JsonSchema) =>
  Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, isRecord(entry) ? change(entry) : entry]));

/** A copy of `schema` with `change` applied to each schema directly inside it. Annotations stay unchanged. */
export const mapSubschemas = (schema: JsonSchema, change: (schema: JsonSchema) => JsonSchema): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema).map(([keyword, value]) => {
      if (schemaKeywords.includes(keyword) && isRecord(value)) return [keyword, change(value)];
      if (schemaMapKeywords.includes(keyword) && isRecord(value)) return [keyword, mapEntries(value, change)];
      if (schemaListKeywords.includes(keyword) && Array.isArray(value)) {
        return [keyword, value.map((entry: unknown) => (isRecord(entry) ? change(entry) : entry))];
      }
      return [keyword, value];
    }),
  );

/**
 * The same schema, but checks the items of an array and the properties of an object only if there are not too many. Because all errors
 * are reported, ajv would otherwise collect an error for each of a hundred thousand items.
 */
export const guardOversize = (schema: JsonSchema): JsonSchema => {
  const { items, properties, patternProperties, additionalProperties, required, ...rest } = mapSubschemas(
    schema,
    guardOversize,
  );
  const inner = { items, properties, patternProperties, additionalProperties, required };
  const bound = pick(rest, items === undefined ? 'maxProperties' : 'maxItems');
  const kept = Object.fromEntries(Object.entries(inner).filter(([, value]) => value !== undefined));
  if (bound === undefined || Object.keys(kept).length === 0) return { ...rest, ...kept };
  return { ...rest, if: { type: rest['type'], ...bound }, then: { type: rest['type'], ...kept } };
};

const pick = (schema: JsonSchema, keyword: string): JsonSchema | undefined =>
  schema[keyword] === undefined ? undefined : { [keyword]: schema[keyword] };

/** The same schema with its rules between properties as a part of it, for tests: handlers check these rules. */
export const applyRules = (schema: JsonSchema): JsonSchema => {
  const { 'x-rules': rules, ...rest } = mapSubschemas(schema, applyRules);
  return rules === undefined ? rest : { ...rest, allOf: [...((rest['allOf'] ?? []) as JsonSchema[]), rules] };
};

/** The same schema with every object closed, so that a test finds properties that the contract does not describe. */
export const closeObjects = (schema: JsonSchema): JsonSchema => {
  const inner = mapSubschemas(schema, closeObjects);
  return inner['properties'] === undefined ? inner : { additionalProperties: false, ...inner };
};
