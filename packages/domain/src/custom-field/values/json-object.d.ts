/** Whether a parsed JSON value is an object, arrays and null excluded. */
export declare const isJsonObject: (input: unknown) => input is Readonly<Record<string, unknown>>;
/**
 * The error text for the first own key that is not in `allowed`, or null. Checks own keys only, so that a key such as
 * `__proto__` in the JSON is unknown like any other.
 */
export declare const findUnknownKey: (input: Readonly<Record<string, unknown>>, allowed: readonly string[]) => string | null;
/** The value of an own property; undefined if the object only inherits it or lacks it. */
export declare const ownValue: (input: Readonly<Record<string, unknown>>, key: string) => unknown;
