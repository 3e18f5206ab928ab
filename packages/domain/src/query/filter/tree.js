import { fieldKey } from '../field-ref.js';
/**
 * A text that is the same for all spellings of one filter, which may differ in aliases, key order, `slug` or
 * `custom__slug`, and the order of lists.
 */
export const canonicalFilter = (node) => JSON.stringify(node === null ? null : shape(node));
const shape = (node) => {
    switch (node.kind) {
        case 'leaf':
            return [fieldKey(node.field), node.operator, node.value];
        case 'not':
            return ['not', shape(node.node)];
        default:
            return [node.kind, ...node.nodes.map(shape)];
    }
};
//# sourceMappingURL=tree.js.map