import type { OperationContract } from '@crm/contract';

import { errorText, usageError } from '../errors.js';
import { findJsonFaults } from '../json-faults.js';

/** The parts of a JSON Schema that say what a property takes. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
}

/** `-f name=text` or `-F name=JSON`, in the order of the command line. */
export interface GivenField {
  readonly name: string;
  readonly text: string;
  readonly isJson: boolean;
}

/** Reads `name=value`. @throws CliError (2) */
export const parseField = (given: string, isJson: boolean): GivenField => {
  const equals = given.indexOf('=');
  if (equals < 1) throw usageError(`${isJson ? '-F' : '-f'} ${given}: must be NAME=VALUE`);
  return { name: given.slice(0, equals), text: given.slice(equals + 1), isJson };
};

const typesOf = (schema: Schema): readonly string[] => [
  ...[schema.type ?? []].flat(),
  ...(schema.anyOf ?? []).flatMap(typesOf),
];

const propertyOf = (schema: Schema | undefined, name: string): Schema | undefined =>
  (Object.hasOwn(schema?.properties ?? {}, name) ? schema?.properties?.[name] : undefined) ??
  schema?.anyOf?.map((one) => propertyOf(one, name)).find((one) => one !== undefined);

/** Reads JSON without a loss. @throws CliError (2) */
const readJson = (place: string, text: string): unknown => {
  const [fault] = findJsonFaults(text);
  if (fault !== undefined) throw usageError(`${place}: ${[fault.field, fault.reason].filter(Boolean).join(': ')}`);
  try {
    return JSON.parse(text);
  } catch (error) {
    throw usageError(`${place}: is not JSON: ${errorText(error)}`);
  }
};

const jsonTypeOf = (value: unknown): string =>
  value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;

const isJsonText = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

/**
 * Reads the text of `-f` as what the operation takes at this place. Without a schema, such as for custom fields, everything is taken.
 * @throws CliError (2) if no reading fits, or two do
 */
const readText = ({ name, text }: GivenField, schema: Schema | undefined): unknown => {
  const types = schema === undefined ? [] : typesOf(schema);
  const takes = (type: string): boolean =>
    types.length === 0 || types.includes(type) || (type === 'number' && types.includes('integer'));
  const value: unknown = isJsonText(text) ? readJson(`-f ${name}`, text) : undefined;
  const isOther = value !== undefined && typeof value !== 'string' && takes(jsonTypeOf(value));
  if (!isOther && takes('string')) return text;
  if (isOther && !takes('string')) return value;
  if (!isOther) throw usageError(`-f ${name}: "${text}" must be ${types.join(' or ')}`);
  const quoted = JSON.stringify(text);
  throw usageError(
    `-f ${name}: ${text} can be a ${jsonTypeOf(value)} or a text. Give -F '${name}=${text}' or -F '${name}=${quoted}'`,
  );
};

/** A body while it is built. */
type Building = Record<string, unknown>;

/** Without a prototype, so that `__proto__` is a name as any other, which the gateway refuses. */
const emptyBody = (): Building => Object.create(null) as Building;

const setValue = (body: Building, field: GivenField, root: Schema | undefined): void => {
  const path = field.name.split('.');
  const last = path.pop() ?? '';
  let target = body;
  let schema = root;
  for (const name of path) {
    schema = propertyOf(schema, name);
    const next = (target[name] ??= emptyBody());
    if (jsonTypeOf(next) !== 'object') throw usageError(`${field.name}: ${name} has another value already`);
    target = next as Building;
  }
  const own = propertyOf(schema, last);
  const isList = own !== undefined && typesOf(own).includes('array') && !field.isJson && !field.text.startsWith('[');
  if (!isList && Object.hasOwn(target, last)) throw usageError(`${field.name}: is given twice`);
  if (isList) target[last] = [...((target[last] ?? []) as unknown[]), readText(field, own.items)];
  else target[last] = field.isJson ? readJson(`-F ${field.name}`, field.text) : readText(field, own);
};

/**
 * The query and the body of fields. `a.b=c` is inside of `a`; a list takes a field several times. An operation without a body takes all
 * in its query.
 * @throws CliError (2) that names the field
 */
export const placeFields = (
  { body: bodySchema }: OperationContract,
  fields: readonly GivenField[],
): { readonly query: URLSearchParams; readonly body: Readonly<Building> | undefined } => {
  const query = new URLSearchParams();
  if (bodySchema === undefined) {
    for (const { name, text } of fields) query.append(name, text);
    return { query, body: undefined };
  }
  const body = emptyBody();
  for (const field of fields) setValue(body, field, bodySchema);
  return { query, body: fields.length === 0 ? undefined : body };
};
