import { fail, ok } from '../../result.js';
import { maxLocationPartLength } from './bounds.js';
import { findUnknownKey, isJsonObject, ownValue } from './json-object.js';
import { parseText, parseTrimmedText } from './text.js';
/** The textual parts of a location, in the order in which `formatted` joins them. */
export const locationTextParts = ['address', 'city', 'region', 'postal_code', 'country'];
const locationKeys = [...locationTextParts, 'lat', 'lng', 'formatted'];
const noText = { address: null, city: null, region: null, postal_code: null, country: null };
const formatLocation = (texts, { lat, lng }) => {
    const present = locationTextParts.map((part) => texts[part]).filter((text) => text !== null);
    return present.length > 0 ? present.join(', ') : `${lat}, ${lng}`;
};
const readTexts = (input) => {
    const texts = { ...noText };
    for (const part of locationTextParts) {
        const sent = ownValue(input, part);
        if (sent === undefined || sent === null)
            continue;
        const text = parseText(sent, maxLocationPartLength);
        if (!text.ok)
            return fail(`${part}: ${text.message}`);
        const trimmed = text.value.trim();
        texts[part] = trimmed === '' ? null : trimmed;
    }
    return ok(texts);
};
const readDegrees = (input, max) => {
    if (input === undefined || input === null)
        return ok(null);
    if (typeof input !== 'number' || !(Math.abs(input) <= max))
        return fail(`must be a number from -${max} to ${max}`);
    return ok(input === 0 ? 0 : input);
};
const readCoordinates = (input) => {
    const lat = readDegrees(ownValue(input, 'lat'), 90);
    if (!lat.ok)
        return fail(`lat: ${lat.message}`);
    const lng = readDegrees(ownValue(input, 'lng'), 180);
    if (!lng.ok)
        return fail(`lng: ${lng.message}`);
    if ((lat.value === null) !== (lng.value === null))
        return fail('must have both lat and lng, or neither');
    return ok({ lat: lat.value, lng: lng.value });
};
/**
 * Reads a `location`: one string, which becomes its address, or an object of parts. `formatted` is computed from the
 * parts. It is accepted only if it equals the computed text, so that a value that was read can be sent back unchanged.
 */
export const parseLocation = (input) => {
    if (typeof input === 'string') {
        const address = parseTrimmedText(input, maxLocationPartLength);
        if (!address.ok)
            return address;
        return ok({ ...noText, address: address.value, lat: null, lng: null, formatted: address.value });
    }
    if (!isJsonObject(input))
        return fail(`must be a string or an object of ${locationKeys.slice(0, -1).join(', ')}`);
    const unknownKey = findUnknownKey(input, locationKeys);
    if (unknownKey !== null)
        return fail(unknownKey);
    const texts = readTexts(input);
    if (!texts.ok)
        return texts;
    const coordinates = readCoordinates(input);
    if (!coordinates.ok)
        return coordinates;
    if (coordinates.value.lat === null && locationTextParts.every((part) => texts.value[part] === null)) {
        return fail('must have at least one part; null clears the field');
    }
    const formatted = formatLocation(texts.value, coordinates.value);
    const sentFormatted = ownValue(input, 'formatted') ?? null;
    if (sentFormatted !== null && sentFormatted !== formatted) {
        return fail('formatted: is made from the other parts, leave it out');
    }
    return ok({ ...texts.value, ...coordinates.value, formatted });
};
//# sourceMappingURL=location.js.map