import { fieldKey, resolveField } from './field-ref.js';
import { filterKindOf } from './filter/kind.js';
import { quote } from './quote.js';
import { unknownFieldText } from './unknown-field.js';
/** The units by which a summary groups dates, in UTC. A week begins on Monday, as in ISO 8601. */
export const dateUnits = ['day', 'week', 'month', 'quarter', 'year'];
/** What a summary computes from the numbers of a group, besides its count. */
export const summaryFunctions = ['sum', 'avg', 'min', 'max'];
/** The maximum number of fields that a summary groups by. */
export const maxSummaryGroupings = 2;
/** The maximum number of measures in a summary. */
export const maxSummaryMeasures = 10;
/** The maximum number of groups in the response of a summary. */
export const maxSummaryGroups = 1_000;
/** The measure that every summary has, even if the request does not name it. */
const count = 'count';
const groupedSystemFields = new Set([
    'stage_id',
    'owner_id',
    'pipeline_id',
    'account_id',
    'currency',
]);
/** How a field is grouped: by value, or by day, month and so on; null if it cannot be grouped. */
const groupingOf = (field) => {
    if (field.source === 'relation')
        return null;
    const kind = filterKindOf(field);
    if (kind === 'instant' || kind === 'timestamp' || kind === 'datetime' || kind === 'date')
        return 'date';
    if (field.source === 'system')
        return groupedSystemFields.has(field.field.name) || kind === 'boolean' ? 'value' : null;
    return kind === 'option' || kind === 'checkbox' ? 'value' : null;
};
/** The field of a name. Hidden fields count as unknown, because a summary would reveal their values. */
const findField = (name, path, fieldIndex, errors) => {
    const field = resolveField(fieldIndex, name);
    if (field !== null && !(field.source === 'custom' && field.definition.isHidden))
        return field;
    errors.add(path, unknownFieldText(fieldIndex, name));
    return null;
};
const isDateUnit = (text) => dateUnits.some((unit) => unit === text);
const isSummaryFunction = (text) => summaryFunctions.some((one) => one === text);
/** Splits `close_date:month` at its last colon; the second part is null without one. */
const splitUnit = (text) => {
    const colon = text.lastIndexOf(':');
    return colon < 0 ? [text, null] : [text.slice(0, colon), text.slice(colon + 1)];
};
const parseGroup = (text, path, fieldIndex, errors) => {
    const [name, unit] = splitUnit(text);
    const field = findField(name, path, fieldIndex, errors);
    if (field === null)
        return null;
    const grouping = groupingOf(field);
    if (grouping === null) {
        errors.add(path, `cannot group by ${quote(name)}: use an id, a select, radio or checkbox field, or a date with its unit`);
        return null;
    }
    if (grouping === 'value') {
        if (unit === null)
            return { name: text, field, unit };
        errors.add(path, `${quote(name)} holds no date, so it takes no unit`);
        return null;
    }
    if (unit !== null && isDateUnit(unit))
        return { name: text, field, unit };
    errors.add(path, `must have one of the units ${dateUnits.join(', ')}, as in ${name}:month`);
    return null;
};
const parseMeasure = (text, path, fieldIndex, errors) => {
    const colon = text.indexOf(':');
    const compute = text.slice(0, Math.max(colon, 0));
    if (!isSummaryFunction(compute)) {
        errors.add(path, `must be count, or one of ${summaryFunctions.join(', ')} with a field, as in sum:amount`);
        return null;
    }
    const name = text.slice(colon + 1);
    const field = findField(name, path, fieldIndex, errors);
    if (field === null)
        return null;
    if (field.source !== 'relation' && filterKindOf(field) === 'number')
        return { name: text, compute, field };
    errors.add(path, `cannot compute the ${compute} of ${quote(name)}: it holds no number`);
    return null;
};
/** Parses each text of a list. Rejects a second text with the same meaning, however it is spelled. */
const parseEach = (texts, path, identityOf, parse, errors) => {
    const seen = new Set();
    return texts.flatMap((text, index) => {
        const parsed = parse(text, `${path}[${index}]`);
        if (parsed === null)
            return [];
        const identity = identityOf(parsed);
        if (seen.has(identity))
            errors.add(`${path}[${index}]`, 'is given twice');
        seen.add(identity);
        return [parsed];
    });
};
/**
 * Reads `group_by`: ids (`stage_id`, `owner_id`, `pipeline_id`, `account_id`), `currency`, booleans, select, radio and
 * checkbox fields, and dates with a unit, such as `close_date:month`.
 *
 * @param errors collects errors on `group_by[0]` and so on
 */
export const parseGroupBy = (texts, fieldIndex, errors) => parseEach(texts, 'group_by', ({ field, unit }) => `${fieldKey(field)} ${unit ?? ''}`, (text, path) => parseGroup(text, path, fieldIndex, errors), errors);
/**
 * Reads `measures`: `count`, which every summary has anyway, and `sum:`, `avg:`, `min:` and `max:` of a numeric field.
 *
 * @param errors collects errors on `measures[0]` and so on
 */
export const parseMeasures = (texts, fieldIndex, errors) => parseEach(texts, 'measures', (measure) => (measure === count ? count : `${measure.compute} ${fieldKey(measure.field)}`), (text, path) => (text === count ? count : parseMeasure(text, path, fieldIndex, errors)), errors).filter((measure) => measure !== count);
/**
 * Whether a measure is money whose currency is in another field of the record. A custom currency field has one fixed
 * currency.
 */
export const hasCurrencyPerRecord = ({ field }) => field.source === 'system' && field.field.name === 'amount';
//# sourceMappingURL=summary.js.map