import type { FieldRef } from '../field-ref.js';
import type { FilterNode, FilterScalar } from './tree.js';
/**
 * A record's value in the comparison form of the filter tree: a list for fields with several values, null for no value.
 * For a date range or location as a whole, any scalar stands for a value.
 */
export type ComparisonValue = FilterScalar | readonly FilterScalar[] | null;
/**
 * Whether a record matches a filter. This is the simplest definition of filters; tests compare the database's results
 * with it.
 * @param valueOf the record's value of a field that the tree names
 */
export declare const matchesFilter: (node: FilterNode, valueOf: (field: FieldRef) => ComparisonValue) => boolean;
