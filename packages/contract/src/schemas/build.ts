import { Type, type Static, type TProperties, type TSchema, type TUnsafe } from 'typebox';
import { fieldsEntryLength, idsPerParameter } from '../bounds.js';
import type { CheckName } from '../validate/checks.js';
import { exampleIds } from './example-ids.js';

/** Annotations and limits of a schema, in JSON Schema's form. */
export type SchemaOptions = Readonly<Record<string, unknown>>;

/**
 * The same schema with `null` allowed: `type: [T, 'null']` instead of a union, so that a wrong value gives one plain error. Drops the
 * component name (`title`), because the nullable form is another schema. That of an enum stays, for the values without `null`.
 */
export const nullable = <T extends TSchema>(schema: T): TUnsafe<Static<T> | null> => {
  const rest = { ...schema } as { title?: string; type?: unknown; enum?: unknown[]; 'x-document'?: unknown };
  if (rest.enum === undefined) delete rest.title;
  const document = rest['x-document'];
  const types = Array.isArray(rest.type) ? (rest.type as unknown[]) : [rest.type];
  return Type.Unsafe<Static<T> | null>({
    ...rest,
    type: [...types, 'null'],
    ...(rest.enum === undefined ? {} : { enum: [...rest.enum, null] }),
    ...(document === undefined ? {} : { 'x-document': withNull(document) }),
  });
};

/** A documented schema with `null` as one more type, or as one more variant of a union. */
const withNull = (document: unknown): object => {
  const { anyOf, type, ...rest } = document as { anyOf?: unknown[]; type?: string | string[] };
  if (type !== undefined) return { ...rest, type: [type, 'null'].flat() };
  return { anyOf: [...(anyOf ?? [document]), { type: 'null' }] };
};

/** Adds a rule of `domain` to a schema. */
export const checkedAs = (name: CheckName) => ({ 'x-check': name });

/** An optional property that may also be `null`: absent on creates and searches, cleared on updates. */
export const optional = <T extends TSchema>(schema: T) => Type.Optional(nullable(schema));

/** The description and the example of a schema, without those that are undefined. */
export const annotations = (description: string | undefined, example: unknown): SchemaOptions => ({
  ...(description === undefined ? {} : { description }),
  ...(example === undefined ? {} : { examples: [example] }),
});

/** A text. */
export const text = (description: string, example?: string | null, options: SchemaOptions = {}) =>
  Type.String({ ...options, ...annotations(description, example) });

/** True or false. */
export const flag = (description: string, example?: boolean) => Type.Boolean(annotations(description, example));

/** A whole number. */
export const integer = (description: string, example?: number, options: SchemaOptions = {}) =>
  Type.Integer({ ...options, ...annotations(description, example) });

/** A number. */
export const number = (description: string, example?: number, options: SchemaOptions = {}) =>
  Type.Number({ ...options, ...annotations(description, example) });

/** A string from a fixed list. With a `title`, the list becomes a component of requests. */
export const oneOf = <const V extends readonly string[]>(
  values: V,
  description?: string,
  example?: V[number],
  options: SchemaOptions = {},
): TUnsafe<V[number]> =>
  Type.Unsafe<V[number]>({ type: 'string', enum: [...values], ...options, ...annotations(description, example) });

/** A parameter of a query: `true`, or `false` by default. */
export const flagParameter = (description: string) =>
  Type.Optional(oneOf(['true', 'false'], description, undefined, { default: 'false' }));

/** A list of `item`. */
export const listOf = <T extends TSchema>(
  item: T,
  description: string,
  example?: readonly unknown[] | null,
  options: SchemaOptions = {},
) => Type.Array(item, { ...options, ...annotations(description, example) });

/**
 * A condition in a rule between properties: an object has these, with such values. Says that other properties are free,
 * because Redocly would refuse them in examples.
 */
export const having = (properties: Readonly<Record<string, SchemaOptions>>) => ({
  properties,
  required: Object.keys(properties),
  additionalProperties: true,
});

/** The id of a record, in its 36 character form. */
export const uuid = (description: string, kind: keyof typeof exampleIds) =>
  text(description, exampleIds[kind], { format: 'uuid' });

/** The id of a record, or `all` for every one. */
export const uuidOrAll = (description: string, kind: keyof typeof exampleIds) =>
  text(description, exampleIds[kind], {
    format: 'uuid-or-all',
    'x-document': { type: 'string', pattern: '^(all|[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12})$' },
  });

const anyUuid = '[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}';

/** Ids of records with commas between them, in a query. */
export const uuidList = (description: string, kind: keyof typeof exampleIds) =>
  text(`${description} Up to ${idsPerParameter} ids with commas between them.`, exampleIds[kind], {
    format: 'uuid-list',
    // More than the longest list, so that the error of a longer one names the number of ids.
    maxLength: fieldsEntryLength,
    'x-document': {
      type: 'string',
      maxLength: idsPerParameter * (exampleIds[kind].length + 1) - 1,
      pattern: `^${anyUuid}(,${anyUuid}){0,${idsPerParameter - 1}}$`,
    },
  });

/** A map from text to `value`. */
export const mapOf = <T extends TSchema>(value: T, options: SchemaOptions): TUnsafe<Record<string, Static<T>>> =>
  Type.Unsafe<Record<string, Static<T>>>({ type: 'object', additionalProperties: value, ...options });

/** An instant in a response. */
export const instant = (description: string, example: string | null = '2026-03-02T09:30:00.000Z') =>
  text(description, example, { format: 'date-time' });

/**
 * The example of a schema: its own, or one made of the examples of its parts. A value that may be null needs none.
 */
export const exampleOf = (schema: unknown): unknown => {
  const { examples, properties, items, type } = schema as {
    readonly examples?: readonly unknown[];
    readonly properties?: TProperties;
    readonly items?: TSchema;
    readonly type?: unknown;
  };
  if (examples !== undefined) return examples[0];
  if (properties !== undefined) {
    const entries = Object.entries(properties).map(([name, property]) => [name, exampleOf(property)] as const);
    return Object.fromEntries(entries.filter(([, example]) => example !== undefined));
  }
  if (items !== undefined) return [exampleOf(items)];
  return Array.isArray(type) && type.includes('null') ? null : undefined;
};

/** An object of responses. Its example consists of the examples of its properties. */
export const responseObject = <P extends TProperties>(title: string, description: string, properties: P) =>
  Type.Object(properties, { title, description, examples: [exampleOf({ properties })] });
