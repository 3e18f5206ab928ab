import { echo } from './bounds.js';
/** Whether a parsed JSON value is an object, arrays and null excluded. */
export const isJsonObject = (input) => typeof input === 'object' && input !== null && !Array.isArray(input);
/**
 * The error text for the first own key that is not in `allowed`, or null. Checks own keys only, so that a key such as
 * `__proto__` in the JSON is unknown like any other.
 */
export const findUnknownKey = (input, allowed) => {
    const unknownKey = Object.keys(input).find((key) => !allowed.includes(key));
    return unknownKey === undefined ? null : `has an unknown property "${echo(unknownKey)}"`;
};
/** The value of an own property; undefined if the object only inherits it or lacks it. */
export const ownValue = (input, key) => Object.hasOwn(input, key) ? input[key] : undefined;
//# sourceMappingURL=json-object.js.map