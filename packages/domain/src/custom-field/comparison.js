import { normalizeForSearch } from '../text.js';
import { isJsonObject } from './values/json-object.js';
import { locationTextParts } from './values/location.js';
const kinds = {
    string: 'text',
    email: 'text',
    phone: 'text',
    website: 'text',
    url: 'text',
    // Fixed-width text: sorting by text sorts by time.
    date: 'text',
    datetime: 'text',
    time: 'text',
    select: 'text',
    radio: 'text',
    number: 'number',
    currency: 'number',
    percentage: 'number',
    rating: 'number',
    timestamp: 'number',
    checkbox: 'number',
    multi_select: 'set',
    team_members: 'set',
    date_range: 'range',
    location: 'location',
};
const normalizedTypes = new Set(['string', 'email', 'phone', 'website', 'url']);
/** How values of this type compare. */
export const comparisonKind = (attributeType) => kinds[attributeType];
/**
 * Whether texts of this type are compared in their normalized form. Dates, times and options are compared as stored.
 */
export const isNormalized = (attributeType) => normalizedTypes.has(attributeType);
/** The kind of indexed column for this type's comparison key, or null if the type has no such key. */
export const slotKind = (attributeType) => {
    const kind = kinds[attributeType];
    return kind === 'text' || kind === 'number' ? kind : null;
};
/**
 * The single text or number by which a stored value is filtered and sorted: normalized text for texts that people
 * write, 0 and 1 for checkboxes. Null for an absent value, and for types that do not compare as one scalar. A text has
 * up to 10,000 characters here. Indexes and sort keys contain only its first 200.
 */
export const comparisonKey = (definition, value) => {
    switch (kinds[definition.attributeType]) {
        case 'text':
            if (typeof value !== 'string')
                return null;
            return normalizedTypes.has(definition.attributeType) ? normalizeForSearch(value) : value;
        case 'number':
            if (typeof value === 'boolean')
                return value ? 1 : 0;
            return typeof value === 'number' ? value : null;
        default:
            return null;
    }
};
const normalizePart = (text) => (typeof text === 'string' ? normalizeForSearch(text) : null);
const normalizeLocation = (location) => ({
    address: normalizePart(location['address']),
    city: normalizePart(location['city']),
    region: normalizePart(location['region']),
    postal_code: normalizePart(location['postal_code']),
    country: normalizePart(location['country']),
    formatted: normalizePart(location['formatted']),
});
/** The normalized form stored next to a value: of its text, or of a location's parts; null for other types. */
export const normalizedForm = (definition, value) => {
    if (normalizedTypes.has(definition.attributeType))
        return normalizePart(value);
    if (definition.attributeType === 'location' && isJsonObject(value))
        return normalizeLocation(value);
    return null;
};
//# sourceMappingURL=comparison.js.map