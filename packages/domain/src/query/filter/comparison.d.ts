import type { ErrorCollector } from '../../errors.js';
import type { FieldRef } from '../field-ref.js';
import type { FilterKind, Operator } from './operators.js';
import type { FilterNode } from './tree.js';
/** The maximum number of entries in one list value. */
export declare const maxListValues = 200;
/** A comparison whose field and operator fit together, and the path of its value in the request. */
export interface Comparison {
    readonly field: FieldRef;
    readonly kind: FilterKind;
    readonly operator: Operator;
    /** Such as `filters[0].value`. */
    readonly path: string;
}
/**
 * Reads the value of a comparison and returns its node, usually a leaf. For a field of instants, a day means all its
 * instants: `eq` becomes `between`, `neq` its negation, `in` an `or`, and `gt`, `lt` and the like compare with the
 * day's start or end.
 * @returns null after an error; errors are on the path of the value or of its entries
 */
export declare const parseComparison: (comparison: Comparison, input: unknown, errors: ErrorCollector) => FilterNode | null;
