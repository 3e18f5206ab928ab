import { type FieldRef } from '../field-ref.js';
import type { Operator } from './operators.js';
/**
 * One value in comparison form: normalized text, a number, a boolean, the exact value of an option, a lower-case uuid,
 * or dates and times as fixed-width text. Instants of system fields and of `timestamp` fields are Unix milliseconds, a
 * custom checkbox is 0 or 1.
 */
export type FilterScalar = string | number | boolean;
/**
 * A scalar for most operators, `[low, high]` for `between`, a sorted list without repeats for `in`, `not_in`,
 * `contains_all`, `contains_none` and for `eq` on fields of several values, null for `empty` and `not_empty`.
 */
export type FilterValue = FilterScalar | readonly FilterScalar[] | null;
/** One comparison. Its field accepts the operator, and the value fits both. */
export interface FilterLeaf {
    readonly kind: 'leaf';
    readonly field: FieldRef;
    readonly operator: Operator;
    readonly value: FilterValue;
}
/** A checked filter: at least one node under each `and` and `or`. */
export type FilterNode = {
    readonly kind: 'and' | 'or';
    readonly nodes: readonly FilterNode[];
} | {
    readonly kind: 'not';
    readonly node: FilterNode;
} | FilterLeaf;
/**
 * A text that is the same for all spellings of one filter, which may differ in aliases, key order, `slug` or
 * `custom__slug`, and the order of lists.
 */
export declare const canonicalFilter: (node: FilterNode | null) => string;
