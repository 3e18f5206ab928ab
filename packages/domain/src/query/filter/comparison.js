import { parseOperand } from './operand.js';
/** The maximum number of entries in one list value. */
export const maxListValues = 200;
/**
 * Reads the value of a comparison and returns its node, usually a leaf. For a field of instants, a day means all its
 * instants: `eq` becomes `between`, `neq` its negation, `in` an `or`, and `gt`, `lt` and the like compare with the
 * day's start or end.
 * @returns null after an error; errors are on the path of the value or of its entries
 */
export const parseComparison = (comparison, input, errors) => {
    const { kind, operator, path } = comparison;
    if (operator === 'empty' || operator === 'not_empty')
        return parsePresence(comparison, input, errors);
    if (input === undefined) {
        errors.add(path, `is required by the operator ${operator}`);
        return null;
    }
    if (operator === 'between')
        return parseBetween(comparison, input, errors);
    const isSet = kind === 'option_set' || kind === 'member_set';
    if (listOperators.has(operator) || (isSet && operator === 'eq'))
        return parseList(comparison, input, errors);
    const operand = readOne(comparison, input, path, errors);
    return operand === null ? null : compareWith(comparison, operand);
};
const listOperators = new Set(['in', 'not_in', 'contains_all', 'contains_none']);
const leaf = (comparison, operator, value) => ({
    kind: 'leaf',
    field: comparison.field,
    operator,
    value,
});
const isPoint = (operand) => operand.low === operand.high;
const within = (comparison, { low, high }) => leaf(comparison, 'between', [low, high]);
const not = (node) => ({ kind: 'not', node });
const readOne = (comparison, input, path, errors) => {
    const operand = parseOperand(input, comparison.field, comparison.kind, comparison.operator);
    if (operand.ok)
        return operand.value;
    errors.add(path, operand.message);
    return null;
};
const readEach = (comparison, input, errors) => {
    const operands = input.map((entry, index) => readOne(comparison, entry, `${comparison.path}[${index}]`, errors));
    const good = operands.filter((operand) => operand !== null);
    return good.length === operands.length ? good : null;
};
const parsePresence = (comparison, input, errors) => {
    if (input === undefined || input === null)
        return leaf(comparison, comparison.operator, null);
    errors.add(comparison.path, `must be absent: the operator ${comparison.operator} takes no value`);
    return null;
};
const parseBetween = (comparison, input, errors) => {
    if (!Array.isArray(input) || input.length !== 2) {
        errors.add(comparison.path, 'must be a list of two values, the lower one first');
        return null;
    }
    const [first, second] = readEach(comparison, input, errors) ?? [];
    if (first === undefined || second === undefined)
        return null;
    if (first.low > second.high) {
        errors.add(comparison.path, 'must have the lower value first');
        return null;
    }
    return within(comparison, { low: first.low, high: second.high });
};
const parseList = (comparison, input, errors) => {
    if (!Array.isArray(input) || input.length === 0 || input.length > maxListValues) {
        errors.add(comparison.path, `must be a list of 1 to ${maxListValues} values`);
        return null;
    }
    const operands = readEach(comparison, input, errors);
    if (operands === null)
        return null;
    const { operator } = comparison;
    const points = operands.filter(isPoint).map((operand) => operand.low);
    if (points.length === operands.length)
        return leaf(comparison, operator, inOrder(points));
    // Only `in` and `not_in` reach this line: fields with several values do not contain instants.
    const days = new Map(operands.filter((operand) => !isPoint(operand)).map((day) => [day.low, day]));
    const nodes = inOrder([...days.keys()]).flatMap((low) => {
        const day = days.get(low);
        return day === undefined ? [] : [within(comparison, day)];
    });
    if (points.length > 0)
        nodes.push(leaf(comparison, 'in', inOrder(points)));
    const [only] = nodes;
    const any = only !== undefined && nodes.length === 1 ? only : { kind: 'or', nodes };
    return operator === 'in' ? any : not(any);
};
/** Sorted and without duplicates. The order of a list has no meaning, so it must not change the cursor. */
const inOrder = (values) => [...new Set(values)].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
const compareWith = (comparison, operand) => {
    const { operator } = comparison;
    switch (operator) {
        case 'gt':
        case 'lte':
            return leaf(comparison, operator, operand.high);
        case 'eq':
            return isPoint(operand) ? leaf(comparison, operator, operand.low) : within(comparison, operand);
        case 'neq':
            return isPoint(operand) ? leaf(comparison, operator, operand.low) : not(within(comparison, operand));
        default:
            return leaf(comparison, operator, operand.low);
    }
};
//# sourceMappingURL=comparison.js.map