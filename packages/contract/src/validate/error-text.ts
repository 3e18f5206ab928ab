import type { ErrorObject } from 'ajv/dist/2020.js';
import { idsPerParameter } from '../bounds.js';
import { includedNames } from '../schemas/included-names.js';

const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  object: 'an object',
  array: 'an array',
};

const formatTexts: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    Object.entries(includedNames).map(([object, names]) => [
      `include-${object}`,
      `must be some of ${names.join(', ')}, with commas between them`,
    ]),
  ),
  uuid: 'must be a valid UUID',
  'uuid-or-all': 'must be a valid UUID, or all',
  'uuid-list': `must be 1 to ${idsPerParameter} valid UUIDs with commas between them`,
  email: 'must be a valid email',
  'date-time': 'must be an RFC 3339 date and time',
};

const listed = (values: readonly unknown[]): string =>
  values
    .filter((value) => value !== null)
    .map(String)
    .join(', ');

const typeText = (type: unknown): string => {
  const names = (Array.isArray(type) ? (type as unknown[]) : [type]).filter((name) => name !== 'null').map(String);
  return `must be ${names.map((name) => typeNames[name] ?? name).join(' or ') || 'null'}`;
};

const counted = (limit: unknown, one: string, many: string): string => `${String(limit)} ${limit === 1 ? one : many}`;
const atMost = (one: string, many: string) => (error: ErrorObject) =>
  `must have at most ${counted(error.params['limit'], one, many)}`;
const atLeast = (one: string, many: string) => (error: ErrorObject) =>
  `must have at least ${counted(error.params['limit'], one, many)}`;

/** The error text of each keyword, instead of ajv's own. A test checks that every keyword in use has one. */
const keywordTexts: Readonly<Record<string, (error: ErrorObject) => string>> = {
  type: (error) => typeText(error.schema),
  'x-check': (error) => error.message ?? 'is not valid',
  enum: (error) => `must be one of ${listed(error.params['allowedValues'] as unknown[])}`,
  const: (error) => `must be ${JSON.stringify(error.params['allowedValue'])}`,
  format: (error) => formatTexts[String(error.params['format'])] ?? 'has the wrong format',
  pattern: () => 'has the wrong format',
  minimum: (error) => `must be at least ${String(error.params['limit'])}`,
  maximum: (error) => `must be at most ${String(error.params['limit'])}`,
  maxLength: (error) => `must have at most ${counted(error.params['limit'], 'character', 'characters')}`,
  minLength: (error) =>
    error.params['limit'] === 1
      ? 'must not be empty'
      : `must have at least ${counted(error.params['limit'], 'character', 'characters')}`,
  maxItems: atMost('item', 'items'),
  minItems: atLeast('item', 'items'),
  maxProperties: atMost('property', 'properties'),
  minProperties: (error) =>
    error.params['limit'] === 1 ? 'names nothing to change' : atLeast('property', 'properties')(error),
};

/** Whether {@link errorText} has a text for a keyword. */
export const hasErrorText = (keyword: string): boolean => Object.hasOwn(keywordTexts, keyword);

/** The error text for an ajv error about a present but invalid value. */
export const errorText = (error: ErrorObject): string => keywordTexts[error.keyword]?.(error) ?? 'is not valid';
