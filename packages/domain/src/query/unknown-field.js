import { nearestName } from '../nearest-name.js';
import { quote } from './quote.js';
import { systemFields } from './system-fields.js';
const customPrefix = 'custom__';
/** The error text for an unknown field name, with the visible field that the caller probably meant. */
export const unknownFieldText = ({ objectType, fullSelection }, name) => {
    const slugs = fullSelection.custom.map(({ slug }) => slug);
    const prefix = name.startsWith(customPrefix) ? customPrefix : '';
    const known = prefix === '' ? [...systemFields[objectType].map((field) => field.name), ...slugs] : slugs;
    const near = nearestName(name.slice(prefix.length), known);
    return `unknown field ${quote(name)}${near === undefined ? '' : `, did you mean ${prefix}${near}?`}`;
};
//# sourceMappingURL=unknown-field.js.map