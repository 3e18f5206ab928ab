import { fail, ok, type Result } from '../../result.js';
import { isBlank, trimText } from '../../text.js';
import type { LocationValue } from '../custom-value.js';
import { maxLocationPartLength } from './bounds.js';
import { findUnknownKey, isJsonObject, ownValue } from './json-object.js';
import { parseText, parseTrimmedText } from './text.js';

/** The textual parts of a location, in the order in which `formatted` joins them. */
export const locationTextParts = ['address', 'city', 'region', 'postal_code', 'country'] as const;

const locationKeys = [...locationTextParts, 'lat', 'lng', 'formatted'] as const;

type TextParts = Record<(typeof locationTextParts)[number], string | null>;
type Coordinates = Pick<LocationValue, 'lat' | 'lng'>;

const noText: TextParts = { address: null, city: null, region: null, postal_code: null, country: null };

const formatLocation = (texts: TextParts, { lat, lng }: Coordinates): string => {
  const present = locationTextParts.map((part) => texts[part]).filter((text) => text !== null);
  return present.length > 0 ? present.join(', ') : `${lat}, ${lng}`;
};

const readTexts = (input: Readonly<Record<string, unknown>>): Result<TextParts> => {
  const texts = { ...noText };
  for (const part of locationTextParts) {
    const sent = ownValue(input, part);
    if (sent === undefined || sent === null) continue;
    const text = parseText(sent, maxLocationPartLength);
    if (!text.ok) return fail(`${part}: ${text.message}`);
    texts[part] = isBlank(text.value) ? null : trimText(text.value);
  }
  return ok(texts);
};

const readDegrees = (input: unknown, max: number): Result<number | null> => {
  if (input === undefined || input === null) return ok(null);
  if (typeof input !== 'number' || !(Math.abs(input) <= max)) return fail(`must be a number from -${max} to ${max}`);
  return ok(input === 0 ? 0 : input);
};

const readCoordinates = (input: Readonly<Record<string, unknown>>): Result<Coordinates> => {
  const lat = readDegrees(ownValue(input, 'lat'), 90);
  if (!lat.ok) return fail(`lat: ${lat.message}`);
  const lng = readDegrees(ownValue(input, 'lng'), 180);
  if (!lng.ok) return fail(`lng: ${lng.message}`);
  if ((lat.value === null) !== (lng.value === null)) return fail('must have both lat and lng, or neither');
  return ok({ lat: lat.value, lng: lng.value });
};

/**
 * Reads a `location`: one string, which becomes its address, or an object of parts. `formatted` is computed from the
 * parts. It is accepted only if it equals the computed text, so that a value that was read can be sent back unchanged.
 */
export const parseLocation = (input: unknown): Result<LocationValue> => {
  if (typeof input === 'string') {
    const address = parseTrimmedText(input, maxLocationPartLength);
    if (!address.ok) return address;
    return ok({ ...noText, address: address.value, lat: null, lng: null, formatted: address.value });
  }
  if (!isJsonObject(input)) return fail(`must be a string or an object of ${locationKeys.slice(0, -1).join(', ')}`);
  const unknownKey = findUnknownKey(input, locationKeys);
  if (unknownKey !== null) return fail(unknownKey);
  const texts = readTexts(input);
  if (!texts.ok) return texts;
  const coordinates = readCoordinates(input);
  if (!coordinates.ok) return coordinates;
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
