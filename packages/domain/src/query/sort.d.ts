import type { ErrorCollector } from '../errors.js';
import type { FieldIndex } from './field-index.js';
import { type FieldRef } from './field-ref.js';
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
export declare const maxSortKeys = 3;
/** The system field that an operation sorts by, descending, if the request has no sort. */
export type DefaultSortField = 'created_at' | 'updated_at';
/** The sort of a request without one: lists by `created_at`, searches by `updated_at`, newest first. */
export declare const defaultSort: (fieldIndex: FieldIndex, name: DefaultSortField) => readonly SortKey[];
/**
 * Reads `sort`: `"field"`, `"field:desc"`, `{field, direction}` or a list of up to three of them; ascending by default.
 * Every scalar field can be a sort key, also a custom one or a single part (`slug.start`, `slug.city`). Fields of
 * several values, a date range or location as a whole, and relations cannot.
 * @param input what the request carried; null, undefined and an empty list mean the default
 * @returns the keys in order; the default if the request has no sort or an error. Errors are on `sort`,
 * `sort.field`, `sort[1].direction` and the like.
 */
export declare const parseSort: (input: unknown, fieldIndex: FieldIndex, defaultField: DefaultSortField, errors: ErrorCollector) => readonly SortKey[];
