import { parseLeaf } from './parse-leaf.js';
/** The maximum number of comparisons in one request. Each whole day in a list of instants counts as one. */
export const maxFilterLeaves = 50;
/** The deepest nesting of nodes. A node of the outermost list, or a single outermost node, is at depth 1. */
export const maxFilterDepth = 5;
/**
 * Reads `filters`: a list of nodes that must all match, or one node; each `{and: […]}`, `{or: […]}`, `{not: node}` or
 * `{field, operator, value}`. Checks names and types and converts values to comparison form.
 * @param input what the request carried; null, undefined and an empty list mean no filter
 * @returns the tree, or null if there is no filter or an error. Errors are on paths such as
 * `filters[2].operator`, `filters.and[0].value` and `filters[0].value[3]`, all of them at once. Checking stops at the
 * first comparison past the limit.
 */
export const parseFilters = (input, fieldIndex, errors) => {
    if (input === undefined || input === null)
        return null;
    const walk = { fieldIndex, errors, leaves: 0 };
    if (!Array.isArray(input))
        return parseNode(input, 'filters', 1, walk);
    return input.length === 0 ? null : parseGroup('and', input, 'filters', 1, walk);
};
/** Counts comparisons, and also invalid nodes, which take as much work. @returns whether the limit allows them */
const isWithinAllowance = (walk, count = 1) => {
    walk.leaves += count;
    if (walk.leaves <= maxFilterLeaves)
        return true;
    walk.errors.addLimit('filters', `must have at most ${maxFilterLeaves} comparisons`);
    return false;
};
const refuse = (walk, path, message) => {
    if (isWithinAllowance(walk))
        walk.errors.add(path, message);
    return null;
};
const shapeMessage = 'must be an object with exactly one of: and, or, not, or field with operator and value';
const parseNode = (input, path, depth, walk) => {
    if (depth > maxFilterDepth)
        return refuse(walk, path, `must not be nested deeper than ${maxFilterDepth}`);
    if (typeof input !== 'object' || input === null || Array.isArray(input))
        return refuse(walk, path, shapeMessage);
    const node = input;
    // Typed clients send the keys of all four shapes, with null in the unused ones.
    const keys = Object.keys(node).filter((key) => node[key] !== null);
    const group = keys.find((key) => key === 'and' || key === 'or' || key === 'not');
    if (group === undefined)
        return parseComparisonNode(node, path, walk);
    if (keys.length > 1)
        return refuse(walk, path, shapeMessage);
    const child = node[group];
    const childPath = `${path}.${group}`;
    if (group === 'not') {
        const negated = parseNode(child, childPath, depth + 1, walk);
        return negated === null ? null : { kind: 'not', node: negated };
    }
    if (!Array.isArray(child) || child.length === 0) {
        return refuse(walk, childPath, 'must be a list of at least one node');
    }
    return parseGroup(group === 'and' ? 'and' : 'or', child, childPath, depth + 1, walk);
};
const parseGroup = (kind, input, path, depth, walk) => {
    const nodes = [];
    for (const [index, child] of input.entries()) {
        const node = parseNode(child, `${path}[${index}]`, depth, walk);
        if (node !== null)
            nodes.push(node);
        if (walk.leaves > maxFilterLeaves)
            return null;
    }
    const [first] = nodes;
    if (first === undefined)
        return null;
    // A group of one node becomes that node, so that both spellings share their cursors.
    return nodes.length === 1 ? first : { kind, nodes };
};
const parseComparisonNode = (node, path, walk) => {
    if (!isWithinAllowance(walk))
        return null;
    const parsed = parseLeaf(node, path, walk.fieldIndex, walk.errors);
    if (parsed === null)
        return null;
    return isWithinAllowance(walk, countLeaves(parsed) - 1) ? parsed : null;
};
const countLeaves = (node) => {
    if (node.kind === 'leaf')
        return 1;
    if (node.kind === 'not')
        return countLeaves(node.node);
    return node.nodes.reduce((sum, child) => sum + countLeaves(child), 0);
};
//# sourceMappingURL=parse-filters.js.map