import type { ErrorCollector } from '../../errors.js';
import type { FieldIndex } from '../field-index.js';
import type { FilterNode } from './tree.js';
/**
 * Reads one `{field, operator, value}`.
 * @param path its path, as in `filters[2]`; errors add `.field`, `.operator` or `.value`
 * @returns null after an error
 */
export declare const parseLeaf: (node: Readonly<Record<string, unknown>>, path: string, fieldIndex: FieldIndex, errors: ErrorCollector) => FilterNode | null;
