import type { ErrorCollector } from '../errors.js';
import { type FieldIndex, quote, unknownFieldText } from './field-index.js';
import { fieldKey, partsOf, resolveField, type FieldRef } from './field-ref.js';
import { findSystemField } from './system-fields.js';

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

/** The system field that an operation sorts by, descending, if the request has no sort. */
export type DefaultSortField = 'created_at' | 'updated_at';

/** The sort of a request without one: lists by `created_at`, searches by `updated_at`, newest first. */
export const defaultSort = (fieldIndex: FieldIndex, name: DefaultSortField): readonly SortKey[] => {
  const field = findSystemField(fieldIndex.objectType, name);
  // `systemFields` has both fields for every object, so this is a bug.
  if (field === null) throw new Error(`No system field ${name} on ${fieldIndex.objectType}`);
  return [{ field: { source: 'system', field }, direction: 'desc' }];
};

/**
 * Reads `sort`: `"field"`, `"field:desc"`, `{field, direction}` or a list of up to three of them; ascending by default.
 * Every scalar field can be a sort key, also a custom one or a single part (`slug.start`, `slug.city`). Fields of
 * several values, a date range or location as a whole, and relations cannot.
 * @param input what the request carried; null, undefined and an empty list mean the default
 * @returns the keys in order; the default if the request has no sort or an error. Errors are on `sort`,
 * `sort.field`, `sort[1].direction` and the like.
 */
export const parseSort = (
  input: unknown,
  fieldIndex: FieldIndex,
  defaultField: DefaultSortField,
  errors: ErrorCollector,
): readonly SortKey[] => {
  const fallback = defaultSort(fieldIndex, defaultField);
  if (input === undefined || input === null) return fallback;
  if (!Array.isArray(input)) {
    const key = parseKey(input, 'sort', fieldIndex, errors);
    return key === null ? fallback : [key.sortKey];
  }
  if (input.length > maxSortKeys) {
    errors.add('sort', `must have at most ${maxSortKeys} keys`);
    return fallback;
  }
  const keys = parseKeys(input, fieldIndex, errors);
  return keys.length === 0 ? fallback : keys;
};

/** A key, and the path for errors about its field. */
interface ParsedKey {
  readonly sortKey: SortKey;
  readonly fieldPath: string;
}

const parseKeys = (input: readonly unknown[], fieldIndex: FieldIndex, errors: ErrorCollector): SortKey[] => {
  const keys: SortKey[] = [];
  const seen = new Set<string>();
  for (const [index, item] of input.entries()) {
    const parsed = parseKey(item, `sort[${index}]`, fieldIndex, errors);
    if (parsed === null) continue;
    const identity = fieldKey(parsed.sortKey.field);
    if (seen.has(identity)) errors.add(parsed.fieldPath, 'names a field that an earlier key sorts by');
    seen.add(identity);
    keys.push(parsed.sortKey);
  }
  return keys;
};

const parseKey = (input: unknown, path: string, fieldIndex: FieldIndex, errors: ErrorCollector): ParsedKey | null => {
  if (typeof input === 'string') {
    const colon = input.lastIndexOf(':');
    const name = colon < 0 ? input : input.slice(0, colon);
    return toKey(
      name,
      colon < 0 ? 'asc' : input.slice(colon + 1),
      { field: path, direction: path },
      fieldIndex,
      errors,
    );
  }
  if (typeof input !== 'object' || input === null || Array.isArray(input)) {
    errors.add(path, 'must be "field", "field:desc" or an object of field and direction');
    return null;
  }
  const { field, direction, ...others } = input as Readonly<Record<string, unknown>>;
  const unknown = Object.keys(others)[0];
  if (unknown !== undefined) errors.add(path, `has an unknown key ${quote(unknown)}: it takes field and direction`);
  const paths = { field: `${path}.field`, direction: `${path}.direction` };
  return toKey(field, direction ?? 'asc', paths, fieldIndex, errors);
};

const toKey = (
  name: unknown,
  direction: unknown,
  paths: { readonly field: string; readonly direction: string },
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
): ParsedKey | null => {
  const field = sortableField(name, paths.field, fieldIndex, errors);
  const isDirection = direction === 'asc' || direction === 'desc';
  if (!isDirection) errors.add(paths.direction, 'must be asc or desc');
  return field === null || !isDirection ? null : { sortKey: { field, direction }, fieldPath: paths.field };
};

const sortableField = (
  name: unknown,
  path: string,
  fieldIndex: FieldIndex,
  errors: ErrorCollector,
): FieldRef | null => {
  if (typeof name !== 'string' || name === '') {
    errors.add(path, 'must name a field');
    return null;
  }
  const field = resolveField(fieldIndex, name);
  if (field === null) {
    errors.add(path, unknownFieldText(fieldIndex, name));
    return null;
  }
  const obstacle = findObstacle(field);
  if (obstacle === null) return field;
  errors.add(path, `cannot sort by ${quote(name)}: ${obstacle}`);
  return null;
};

const findObstacle = (ref: FieldRef): string | null => {
  if (ref.source === 'relation') return 'it belongs to another record';
  if (ref.source === 'system') return ref.field.sortable ? null : 'it holds several values';
  const { attributeType } = ref.definition;
  if (attributeType === 'multi_select' || attributeType === 'team_members') return 'it holds several values';
  const parts = partsOf(ref.definition);
  return parts.length > 0 && ref.part === undefined ? `sort by one of its parts, ${parts.join(', ')}` : null;
};
