import { type FieldErrors, reportedErrors, reportedItemErrors } from '@crm/domain';
import type { ErrorObject } from 'ajv/dist/2020.js';
import { errorText } from './error-text.js';
import { isRecord, type JsonSchema } from './schema-walk.js';
import { keyProbablyMeant } from './unknown-key-hints.js';

/** Longer keys are cut in error paths, because a path names a field and must not echo the request. */
const shownKeyLength = 100;

const unescape = (segment: string): string => segment.replaceAll('~1', '/').replaceAll('~0', '~');
const shorten = (key: string): string => (key.length > shownKeyLength ? `${key.slice(0, shownKeyLength)}…` : key);

/** Adds a property to a dotted path. */
const joinPath = (path: string, key: string): string => (path === '' ? shorten(key) : `${path}.${shorten(key)}`);

/** The dotted form of a JSON pointer into `input`: `/items/3/email` becomes `items[3].email`. */
export const dottedPath = (pointer: string, input: unknown): string => {
  let value = input;
  let path = '';
  for (const segment of pointer.split('/').slice(1)) {
    const key = unescape(segment);
    path = Array.isArray(value) ? `${path}[${key}]` : joinPath(path, key);
    value = (value as Record<string, unknown> | undefined)?.[key];
  }
  return path;
};

/** The part of a request that a validator checks. */
export type Location = 'params' | 'query' | 'body' | 'item';

const requiredText = 'is required';

/** Whether the failed type is that of a required property, according to the enclosing schema. */
const isRequiredProperty = (schemaPath: string, root: JsonSchema): boolean => {
  const segments = schemaPath.split('/').slice(1);
  const [map, key, keyword] = segments.slice(-3);
  if (map !== 'properties' || key === undefined || keyword !== 'type') return false;
  let schema: unknown = root;
  for (const segment of segments.slice(0, -3))
    schema = isRecord(schema) || Array.isArray(schema) ? (Reflect.get(schema, segment) as unknown) : undefined;
  const required = isRecord(schema) ? schema['required'] : undefined;
  return Array.isArray(required) && required.includes(key);
};

const unknownText = (error: ErrorObject, key: string, root: JsonSchema, location: Location): string => {
  const properties: unknown = error.parentSchema?.['properties'];
  const near = keyProbablyMeant(key, isRecord(properties) ? Object.keys(properties) : [], root);
  const text = location === 'query' ? 'is not a known parameter' : 'is not a known field';
  return near === undefined ? text : `${text}, did you mean ${near}?`;
};

/** The path of the whole input. An item has its index in the list before it: `items[3]`. */
const rootPath = (location: Location): string => (location === 'item' ? '' : location);

const describe = (error: ErrorObject, input: unknown, root: JsonSchema, location: Location): [string, string] => {
  const path = dottedPath(error.instancePath, input);
  const pathOrRoot = path === '' ? rootPath(location) : path;
  if (error.keyword === 'required') return [joinPath(path, String(error.params['missingProperty'])), requiredText];
  if (error.keyword === 'additionalProperties') {
    const key = String(error.params['additionalProperty']);
    return [joinPath(path, key), unknownText(error, key, root, location)];
  }
  if (error.keyword === 'type' && path === '') return [pathOrRoot, 'must be a JSON object'];
  if (error.keyword === 'type' && error.data === null && isRequiredProperty(error.schemaPath, root)) {
    return [path, requiredText];
  }
  if (error.keyword === 'type' && location === 'query' && Array.isArray(error.data)) {
    return [path, 'is given twice'];
  }
  return [pathOrRoot, errorText(error)];
};

/** The maximum number of field errors for a part of a request. */
export const reportedAt = (location: Location): number => (location === 'item' ? reportedItemErrors : reportedErrors);

/** Turns ajv's errors into the field errors of the response: one text per path, for the first {@link reportedAt} paths. */
export const toFieldErrors = (
  errors: readonly ErrorObject[],
  input: unknown,
  root: JsonSchema,
  location: Location,
): FieldErrors => {
  const texts = new Map<string, string>();
  for (const error of errors) {
    if (texts.size >= reportedAt(location)) break;
    // It only repeats that another keyword failed.
    if (error.keyword === 'if') continue;
    const [path, text] = describe(error, input, root, location);
    if (!texts.has(path)) texts.set(path, text);
  }
  return Object.fromEntries(texts);
};
