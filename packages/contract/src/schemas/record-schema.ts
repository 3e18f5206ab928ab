import {
  type AttributeType,
  type CustomFieldDefinition,
  type FieldMetadata,
  objects,
  type ObjectType,
  systemAttributeTypes,
  systemFields,
} from '@crm/domain';
import { type TSchema, Type } from 'typebox';
import { forGenerators } from '../openapi/for-generators.js';
import { type JsonSchema, mapSubschemas } from '../validate/schema-walk.js';
import { mapOf, responseObject } from './build.js';
import { Note } from './note.js';
import { recordProperties } from './object-fields.js';

/** `data` of the schema of records. */
export const RecordSchema = responseObject('RecordSchema', 'The JSON Schema of the records of one kind.', {
  schema: mapOf(Type.Unknown(), {
    description:
      'A JSON Schema (2020-12) of a record with all its fields: those of every organization, and under `custom_fields` ' +
      'the custom fields of this one, hidden ones included, archived ones left out. `x-attribute-type` is the type in the ' +
      'list of fields.',
    examples: [
      {
        type: 'object',
        properties: {
          id: { type: 'string', format: 'uuid' },
          custom_fields: { type: 'object', properties: { seats: { type: 'number', 'x-attribute-type': 'number' } } },
        },
      },
    ],
  }),
});

const text: JsonSchema = { type: 'string' };
const number: JsonSchema = { type: 'number', format: 'double' };
const nullableText: JsonSchema = { type: ['string', 'null'] };
const nullableNumber: JsonSchema = { type: ['number', 'null'], format: 'double' };
const nullableDate: JsonSchema = { type: ['string', 'null'], format: 'date' };

/** The options are not an `enum`: a new option would make the schema refuse records until it is read again. */
const option = ({ options = [] }: FieldMetadata): JsonSchema => ({
  type: 'string',
  'x-extensible-enum': options.filter(({ archived }) => archived !== true).map(({ value }) => value),
});

/** The schema of a custom value by its type, as reads return it. */
const customValues: Readonly<Record<AttributeType, (metadata: FieldMetadata) => JsonSchema>> = {
  string: () => text,
  email: () => ({ type: 'string', format: 'email' }),
  phone: () => text,
  website: () => text,
  // Not the format `uri`: the URL Standard keeps characters that RFC 3986 does not allow, such as `|`.
  url: () => text,
  number: () => number,
  percentage: () => number,
  currency: ({ currency }) => ({ ...number, ...(currency === undefined ? {} : { 'x-currency': currency }) }),
  // Without the maximum: stored values may be higher, because it can be lowered.
  rating: () => ({ type: 'integer', format: 'int32', minimum: 0 }),
  checkbox: () => ({ type: 'boolean' }),
  date: () => ({ type: 'string', format: 'date' }),
  datetime: () => ({ type: 'string', format: 'date-time' }),
  timestamp: () => ({ type: 'integer', format: 'int64' }),
  time: () => ({ type: 'string', pattern: '^[0-9]{2}:[0-9]{2}:[0-9]{2}$' }),
  date_range: () => ({ type: 'object', properties: { start: nullableDate, end: nullableDate } }),
  select: option,
  radio: option,
  multi_select: (metadata) => ({ type: 'array', items: option(metadata) }),
  team_members: () => ({ type: 'array', items: { type: 'string', format: 'uuid' } }),
  location: () => ({
    type: 'object',
    properties: {
      ...Object.fromEntries(
        ['address', 'city', 'region', 'postal_code', 'country'].map((name) => [name, nullableText]),
      ),
      lat: nullableNumber,
      lng: nullableNumber,
      formatted: nullableText,
    },
  }),
};

const customValue = ({ name, attributeType, metadata, isHidden }: CustomFieldDefinition): JsonSchema => ({
  ...customValues[attributeType](metadata ?? {}),
  title: name,
  'x-attribute-type': attributeType,
  ...(isHidden ? { 'x-hidden': true } : {}),
});

const draft = 'https://json-schema.org/draft/2020-12/schema';

/** A schema as the documents show it in responses: numbers have sizes, and nothing refuses what later versions add. */
const shown = (schema: JsonSchema): JsonSchema => forGenerators(mapSubschemas(schema, shown), 'response');

/** The schema of the records of an object. @param fields - its custom fields, in order, without archived ones */
export const recordSchemaOf = (objectType: ObjectType, fields: readonly CustomFieldDefinition[]): JsonSchema => {
  const all: Readonly<Record<string, TSchema>> = recordProperties(objects[objectType]).all;
  const system = systemFields[objectType].map(({ name, kind }) => [
    name,
    { ...shown(all[name] as JsonSchema), 'x-attribute-type': systemAttributeTypes[kind] },
  ]);
  const custom = Object.fromEntries(fields.map((field) => [field.slug, customValue(field)]));
  return {
    $schema: draft,
    title: objectType,
    type: 'object',
    required: [
      ...systemFields[objectType].filter(({ isOnRequest }) => !isOnRequest).map(({ name }) => name),
      'custom_fields',
    ],
    properties: { ...Object.fromEntries(system), custom_fields: { type: 'object', properties: custom } },
  };
};

/** The schema of notes, which have no custom fields. */
export const noteSchema = (): JsonSchema => {
  const { type, properties, required } = shown(Note as TSchema as JsonSchema);
  return { $schema: draft, title: 'note', type, required, properties };
};
