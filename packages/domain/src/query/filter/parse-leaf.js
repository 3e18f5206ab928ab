import { partsOf, resolveField } from '../field-ref.js';
import { quote } from '../quote.js';
import { unknownFieldText } from '../unknown-field.js';
import { parseComparison } from './comparison.js';
import { filterKindOf } from './kind.js';
import { findOperator, operators, operatorsFor } from './operators.js';
const maxUnknownKeys = 5;
const maxKeyLength = 60;
/**
 * Reads one `{field, operator, value}`.
 * @param path its path, as in `filters[2]`; errors add `.field`, `.operator` or `.value`
 * @returns null after an error
 */
export const parseLeaf = (node, path, fieldIndex, errors) => {
    const { field: fieldName, operator: operatorName, value, ...others } = node;
    // The keys of groups can only be null here, which means absent.
    const unknownKeys = Object.keys(others).filter((key) => key !== 'and' && key !== 'or' && key !== 'not');
    for (const key of unknownKeys.slice(0, maxUnknownKeys)) {
        errors.add(`${path}.${key.slice(0, maxKeyLength)}`, 'unknown key: a comparison has field, operator and value');
    }
    const field = readField(fieldName, `${path}.field`, fieldIndex, errors);
    const operator = readOperator(operatorName, `${path}.operator`, errors);
    if (field === null || operator === null)
        return null;
    const kind = filterKindOf(field);
    if (!operatorsFor(kind).includes(operator)) {
        errors.add(`${path}.operator`, unfit(operator, field, String(fieldName)));
        return null;
    }
    return parseComparison({ field, kind, operator, path: `${path}.value` }, value, errors);
};
const readField = (input, path, fieldIndex, errors) => {
    const field = typeof input === 'string' ? resolveField(fieldIndex, input) : null;
    if (typeof input !== 'string')
        errors.add(path, 'must name a field');
    else if (field === null)
        errors.add(path, unknownFieldText(fieldIndex, input));
    else if (field.source === 'system' && !field.field.filterable) {
        errors.add(path, `cannot filter by ${quote(input)}`);
        return null;
    }
    return field;
};
const readOperator = (input, path, errors) => {
    const operator = typeof input === 'string' ? findOperator(input) : null;
    if (operator === null)
        errors.add(path, `must be one of ${operators.join(', ')}`);
    return operator;
};
const unfit = (operator, field, name) => {
    const fitting = operatorsFor(filterKindOf(field)).join(', ');
    const parts = field.source === 'custom' && field.part === undefined ? partsOf(field.definition) : [];
    const hint = parts.length === 0 ? '' : `; its parts take more: ${parts.map((part) => `${name}.${part}`).join(', ')}`;
    return `must be an operator of ${quote(name)}, not ${operator}: ${fitting}${hint}`;
};
//# sourceMappingURL=parse-leaf.js.map