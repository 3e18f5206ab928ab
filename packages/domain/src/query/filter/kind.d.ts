import type { FieldRef } from '../field-ref.js';
import type { FilterKind } from './operators.js';
/** How the values of this field compare. */
export declare const filterKindOf: (ref: FieldRef) => FilterKind;
