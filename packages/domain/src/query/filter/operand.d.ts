import { type Result } from '../../result.js';
import type { FieldRef } from '../field-ref.js';
import type { FilterKind, Operator } from './operators.js';
import type { FilterScalar } from './tree.js';
/**
 * The range that a filter value covers: one point (`low` equals `high`), or all instants of one UTC day, both ends
 * included.
 */
export interface Operand {
    readonly low: FilterScalar;
    readonly high: FilterScalar;
}
/** The maximum length of one value, in code points. */
export declare const maxValueLength = 2000;
/**
 * Reads one value for one field and operator into its comparison form; nothing is coerced.
 * @param kind the field's, as `filterKindOf` gives it
 * @param operator decides whether the text is a whole natural key, which is normalized, or a part of one
 */
export declare const parseOperand: (input: unknown, field: FieldRef, kind: FilterKind, operator: Operator) => Result<Operand>;
