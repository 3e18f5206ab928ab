import type { ErrorCollector } from '../../errors.js';
import type { FieldIndex } from '../field-index.js';
import type { FilterNode } from './tree.js';
/** The maximum number of comparisons in one request. Each whole day in a list of instants counts as one. */
export declare const maxFilterLeaves = 50;
/** The deepest nesting of nodes. A node of the outermost list, or a single outermost node, is at depth 1. */
export declare const maxFilterDepth = 5;
/**
 * Reads `filters`: a list of nodes that must all match, or one node; each `{and: […]}`, `{or: […]}`, `{not: node}` or
 * `{field, operator, value}`. Checks names and types and converts values to comparison form.
 * @param input what the request carried; null, undefined and an empty list mean no filter
 * @returns the tree, or null if there is no filter or an error. Errors are on paths such as
 * `filters[2].operator`, `filters.and[0].value` and `filters[0].value[3]`, all of them at once. Checking stops at the
 * first comparison past the limit.
 */
export declare const parseFilters: (input: unknown, fieldIndex: FieldIndex, errors: ErrorCollector) => FilterNode | null;
