import { comparisonKind } from '../custom-field/comparison.js';
import type { ErrorCollector } from '../errors.js';
import { fail, ok, type Result } from '../result.js';
import { type FieldIndex, unknownFieldText } from './field-index.js';
import { fieldKey, partsOf, resolveField, type FieldRef } from './field-ref.js';
import { findSystemField } from './system-fields.js';
import { quote } from './quote.js';

/** Nulls come last in both directions. */
export type SortDirection = 'asc' | 'desc';

/**
 * One key of a sort. The database layer appends `created_at, id` to every sort, in the direction of the last key, so that no two
 * records tie.
 */
export interface SortKey {
  readonly field: FieldRef;
  readonly direction: SortDirection;
}

/** The maximum number of keys in one sort. */
export const maxSortKeys = 3;

/** A sort key whose name has been resolved to `T`. */
interface ReadKey<T> {
  readonly named: T;
  readonly direction: SortDirection;
}

/** How the keys of one kind of sort are read. */
export interface KeyReader<T> {
  /** Splits a text such as `amount:desc` into a name and a direction. */
  split(text: string): readonly [name: string, direction: string];
  parse(name: unknown): Result<T>;
  /** Two keys with the same identity sort by the same. */
  identityOf(named: T): string;
}

/** The system field that an operation sorts by, descending, if the request has no sort. */
export type DefaultSortField = 'created_at' | 'updated_at';

/** The sort of a request without one: lists by `created_at`, searches by `updated_at`, newest first. */
export const defaultSort = (fieldIndex: FieldIndex, name: DefaultSortField): readonly SortKey[] => {
  const field = findSystemField(fieldIndex.objectType, name);
  // `systemFields` has both fields for every object, so this is a bug.
  if (field === null) throw new Error(`No system field ${name} on ${fieldIndex.objectType}`);
  return [{ field: { source: 'system', field }, direction: 'desc' }];
};

/** Reads up to {@link maxSortKeys} keys: one, or a list of them. Errors are on `sort`, `sort.field`, `sort[1].direction` and the like. */
export const readSortKeys = <T>(
  input: unknown,
  reader: KeyReader<T>,
  errors: ErrorCollector,
): readonly ReadKey<T>[] => {
  const isList = Array.isArray(input);
  const list: readonly unknown[] = isList ? input : [input];
  if (list.length > maxSortKeys) {
    errors.add('sort', `must have at most ${maxSortKeys} keys`);
    return [];
  }
  const seen = new Set<string>();
  return list.flatMap((item, index) => {
    const sent = readKey(item, isList ? `sort[${index}]` : 'sort', reader, errors);
    if (sent === null) return [];
    const named = errors.read(sent.fieldPath, reader.parse(sent.name));
    const direction = errors.read(sent.directionPath, parseDirection(sent.direction));
    if (named === undefined || direction === undefined) return [];
    const identity = reader.identityOf(named);
    if (seen.has(identity)) errors.add(sent.fieldPath, 'names a field that an earlier key sorts by');
    seen.add(identity);
    return [{ named, direction }];
  });
};

/**
 * Reads `sort`: `"field"`, `"field:desc"`, `{field, direction}` or a list of up to three of them; ascending by default.
 * Every scalar field can be a sort key, also a custom one or a single part (`slug.start`, `slug.city`). Fields of
 * several values, a date range or location as a whole, and relations cannot.
 * @param input what the request carried; null, undefined and an empty list mean the default
 * @returns the keys in order; the default if the request has no sort or an error
 */
export const parseSort = (
  input: unknown,
  fieldIndex: FieldIndex,
  defaultField: DefaultSortField,
  errors: ErrorCollector,
): readonly SortKey[] => {
  const fallback = defaultSort(fieldIndex, defaultField);
  if (input === undefined || input === null) return fallback;
  const reader: KeyReader<FieldRef> = {
    split: (text) => {
      const colon = text.lastIndexOf(':');
      return colon < 0 ? [text, 'asc'] : [text.slice(0, colon), text.slice(colon + 1)];
    },
    parse: (name) => parseSortField(name, fieldIndex, errors),
    identityOf: fieldKey,
  };
  const keys = readSortKeys(input, reader, errors).map(({ named, direction }) => ({ field: named, direction }));
  return keys.length === 0 ? fallback : keys;
};

/** The parts of a key as sent, and the paths for errors about them. */
interface SentKey {
  readonly name: unknown;
  readonly direction: unknown;
  readonly fieldPath: string;
  readonly directionPath: string;
}

const readKey = (
  input: unknown,
  path: string,
  { split }: Pick<KeyReader<unknown>, 'split'>,
  errors: ErrorCollector,
): SentKey | null => {
  if (typeof input === 'string') {
    const [name, direction] = split(input);
    return { name, direction, fieldPath: path, directionPath: path };
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    errors.add(path, 'must be "field", "field:desc" or an object of field and direction');
    return null;
  }
  const { field: name, direction, ...others } = input as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) errors.add(path, `has an unknown key ${quote(unknown)}: it takes field and direction`);
  return { name, direction: direction ?? 'asc', fieldPath: `${path}.field`, directionPath: `${path}.direction` };
};

const parseDirection = (input: unknown): Result<SortDirection> =>
  input === 'asc' || input === 'desc' ? ok(input) : fail('must be asc or desc');

const parseSortField = (name: unknown, fieldIndex: FieldIndex, errors: ErrorCollector): Result<FieldRef> => {
  if (typeof name !== 'string' || name === '') return fail('must name a field');
  const field = resolveField(fieldIndex, name);
  if (field === null) {
    const spelling = respell(name, fieldIndex);
    return fail(
      spelling === null
        ? unknownFieldText(fieldIndex, name, errors)
        : `unknown field ${quote(name)}: write ${spelling}`,
    );
  }
  const obstacle = findObstacle(field);
  return obstacle === null ? ok(field) : fail(`cannot sort by ${quote(name)}: ${obstacle}`);
};

/** How a key that is spelled as in other APIs is spelled here: `-amount` and `amount desc` → `amount:desc`; null for other names. */
const respell = (name: string, fieldIndex: FieldIndex): string | null => {
  const [, sign = '', plain = '', direction = ''] = /^([-+]?)([^\s+-]\S*?)(?:\s+(asc|desc))?$/i.exec(name) ?? [];
  if (plain === name || resolveField(fieldIndex, plain) === null) return null;
  const isDescending = (sign === '-') !== (direction.toLowerCase() === 'desc');
  return `${plain}:${isDescending ? 'desc' : 'asc'}`;
};

const findObstacle = (ref: FieldRef): string | null => {
  if (ref.source === 'relation') return 'it belongs to another record';
  if (ref.source === 'system') {
    if (ref.field.isOnRequest) return 'it is computed for each read';
    return ref.field.sortable ? null : 'it holds several values';
  }
  if (comparisonKind(ref.definition.attributeType) === 'set') return 'it holds several values';
  const parts = partsOf(ref.definition);
  return parts.length > 0 && ref.part === undefined ? `sort by one of its parts, ${parts.join(', ')}` : null;
};
