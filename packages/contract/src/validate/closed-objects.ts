import type { Ajv2020, ErrorObject, FuncKeywordDefinition } from 'ajv/dist/2020.js';
import { type JsonSchema, mapSubschemas, isRecord } from './schema-walk.js';

/** Replaces `additionalProperties: false` in schemas. Its value is the maximum number of unknown properties to report per object. */
const keyword = 'x-closed';

/**
 * The same schema, but reports the unknown properties of an object only up to a limit. For `additionalProperties: false`, ajv would
 * create an error for each one, and a bulk body can have a hundred thousand.
 */
export const boundUnknown = (schema: JsonSchema, most: number): JsonSchema => {
  const { additionalProperties, ...rest } = mapSubschemas(schema, (inner) => boundUnknown(inner, most));
  if (additionalProperties === undefined) return rest;
  return additionalProperties === false ? { ...rest, [keyword]: most } : { ...rest, additionalProperties };
};

/** A compiled keyword, as ajv's `compile` returns it. */
type DataValidateFunction = ReturnType<NonNullable<FuncKeywordDefinition['compile']>>;

const compileClosed = (most: number, parentSchema: JsonSchema): DataValidateFunction => {
  const { properties, patternProperties } = parentSchema;
  const names = new Set(isRecord(properties) ? Object.keys(properties) : []);
  const patterns = isRecord(patternProperties)
    ? Object.keys(patternProperties).map((text) => new RegExp(text, 'u'))
    : [];
  const validate: DataValidateFunction = (data: object): boolean => {
    const errors: Partial<ErrorObject>[] = [];
    for (const key of Object.keys(data)) {
      if (names.has(key) || patterns.some((pattern) => pattern.test(key))) continue;
      errors.push({ keyword: 'additionalProperties', params: { additionalProperty: key }, parentSchema });
      if (errors.length === most) break;
    }
    validate.errors = errors;
    return errors.length === 0;
  };
  return validate;
};

/** Adds the keyword that {@link boundUnknown} writes. */
export const addClosedObjects = (ajv: Ajv2020): void => {
  ajv.addKeyword({ keyword, type: 'object', schemaType: 'number', errors: true, compile: compileClosed });
};
