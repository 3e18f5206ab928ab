import { findDefinition } from './field-index.js';
import { quote } from './quote.js';
import { findSystemField, systemFields } from './system-fields.js';
import { unknownFieldText } from './unknown-field.js';
/** The maximum number of names in one `fields`. */
export const maxFieldNames = 100;
/** The name that stands for every visible custom field. */
export const allCustomFields = 'custom_fields';
const maxUnknownNamed = 5;
/**
 * Reads `fields`: texts that may each contain several names, separated by commas. Blank names are skipped. A `fields`
 * with only blank names counts as absent. The keys of every record are always shown, and naming them is allowed. Other
 * names add extras or narrow `custom_fields`. A hidden custom field is shown only if it is named.
 * @param input a text, an array of texts, or null or undefined when it was not given
 * @param whenAbsent the selection if `fields` is absent; by default the default selection
 * @returns the selection; `whenAbsent` also after an error. Every error is on `fields`.
 */
export const parseFieldSelection = (input, fieldIndex, errors, whenAbsent = fieldIndex.defaultSelection) => {
    const names = readNames(input);
    if (names === null) {
        errors.add('fields', 'must be field names: one text with commas between them, or a list of texts');
        return whenAbsent;
    }
    if (names.size === 0)
        return whenAbsent;
    if (names.size > maxFieldNames) {
        errors.add('fields', `must name at most ${maxFieldNames} fields`);
        return whenAbsent;
    }
    return select(names, fieldIndex, errors) ?? whenAbsent;
};
const readNames = (input) => {
    if (input === undefined || input === null)
        return new Set();
    const texts = Array.isArray(input) ? input : [input];
    const names = new Set();
    for (const text of texts) {
        if (typeof text !== 'string')
            return null;
        for (const part of text.split(',')) {
            const name = part.trim();
            if (name !== '')
                names.add(name);
        }
    }
    return names;
};
const select = (names, fieldIndex, errors) => {
    const extras = new Set();
    const custom = new Set();
    const unknown = [];
    for (const name of names) {
        const field = findSystemField(fieldIndex.objectType, name);
        const definition = field === null ? findDefinition(fieldIndex, name) : null;
        if (field !== null)
            extras.add(field.name);
        else if (name === allCustomFields)
            fieldIndex.defaultSelection.custom.forEach((one) => custom.add(one));
        else if (definition !== null)
            custom.add(definition);
        else
            unknown.push(name);
    }
    const [first, ...others] = unknown;
    if (first !== undefined) {
        const more = others.slice(0, maxUnknownNamed - 1).map(quote);
        errors.add('fields', [unknownFieldText(fieldIndex, first), ...more].join(', '));
        return null;
    }
    return inCanonicalOrder(extras, custom, fieldIndex);
};
const inCanonicalOrder = (extras, custom, fieldIndex) => {
    const { defaultSelection, definitions, objectType } = fieldIndex;
    const chosenExtras = systemFields[objectType].filter((field) => !field.always && extras.has(field.name));
    const chosen = definitions.filter((definition) => custom.has(definition));
    // Equal lengths are not enough: the selection may have a hidden field instead of a visible one.
    const isAllVisible = chosen.length === defaultSelection.custom.length && chosen.every((one) => !one.isHidden);
    return { extras: chosenExtras, custom: chosen, isAllVisible };
};
//# sourceMappingURL=field-selection.js.map