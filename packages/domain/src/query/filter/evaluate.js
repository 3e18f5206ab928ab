/**
 * Whether a record matches a filter. This is the simplest definition of filters; tests compare the database's results
 * with it.
 * @param valueOf the record's value of a field that the tree names
 */
export const matchesFilter = (node, valueOf) => {
    switch (node.kind) {
        case 'and':
            return node.nodes.every((child) => matchesFilter(child, valueOf));
        case 'or':
            return node.nodes.some((child) => matchesFilter(child, valueOf));
        case 'not':
            return !matchesFilter(node.node, valueOf);
        default:
            return matchesLeaf(node, valueOf(node.field));
    }
};
/**
 * The negative operators (`neq`, `not_in`, `not_contains`, `contains_none`) also match records without a value. Of the
 * other operators, only `empty` does.
 */
const matchesLeaf = (leaf, value) => {
    const values = toValues(value);
    const wanted = toValues(leaf.value);
    switch (leaf.operator) {
        case 'empty':
            return values.length === 0;
        case 'not_empty':
            return values.length > 0;
        case 'eq':
            return values.length > 0 && isSubset(values, wanted) && isSubset(wanted, values);
        case 'neq':
            return !(isSubset(values, wanted) && isSubset(wanted, values));
        case 'in':
            return overlap(values, wanted);
        case 'not_in':
        case 'contains_none':
            return !overlap(values, wanted);
        case 'contains_all':
            return isSubset(wanted, values);
        case 'not_contains':
            return !compare('contains', values[0], wanted);
        default:
            return compare(leaf.operator, values[0], wanted);
    }
};
/** The values of a field: none for null, the empty text and the empty list. */
const toValues = (value) => {
    if (value === null || value === '')
        return [];
    return typeof value === 'object' ? value : [value];
};
const isSubset = (some, all) => some.every((one) => all.includes(one));
const overlap = (some, others) => some.some((one) => others.includes(one));
const compare = (operator, value, [low, high]) => {
    if (value === undefined || low === undefined)
        return false;
    switch (operator) {
        case 'contains':
            return String(value).includes(String(low));
        case 'starts_with':
            return String(value).startsWith(String(low));
        case 'ends_with':
            return String(value).endsWith(String(low));
        case 'gt':
            return value > low;
        case 'gte':
            return value >= low;
        case 'lt':
            return value < low;
        case 'lte':
            return value <= low;
        case 'between':
            return high !== undefined && value >= low && value <= high;
    }
};
//# sourceMappingURL=evaluate.js.map