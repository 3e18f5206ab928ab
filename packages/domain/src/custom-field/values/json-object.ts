import { echo } from './bounds.js';

/** Whether a parsed JSON value is an object, arrays and null excluded. */
export const isJsonObject = (input: unknown): input is Readonly<Record<string, unknown>> =>
  typeof input === 'object' && input !== null && !Array.isArray(input);

/**
 * The text about the first own key that is not among `allowed`, or null when all are. Only own keys are looked at, so
 * that a key such as `__proto__` in the JSON is unknown like any other.
 */
export const findUnknownKey = (input: Readonly<Record<string, unknown>>, allowed: readonly string[]): string | null => {
  const unknownKey = Object.keys(input).find((key) => !allowed.includes(key));
  return unknownKey === undefined ? null : `Has an unknown property "${echo(unknownKey)}"`;
};

/** The own property's value, undefined where the object does not have it itself. */
export const ownValue = (input: Readonly<Record<string, unknown>>, key: string): unknown =>
  Object.hasOwn(input, key) ? input[key] : undefined;
