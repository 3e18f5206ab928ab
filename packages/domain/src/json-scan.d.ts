/** The faults in a JSON text that the JSON grammar allows. */
export interface JsonScan {
    /** The reason why the scan stopped early, or null. */
    readonly refusal: string | null;
    /** The error texts by dotted path, such as `items[3].email`. At most 100. */
    readonly errors: ReadonlyMap<string, string>;
    /** Whether `errors` is complete: the scan read the whole text and found no more faults than it reports. */
    readonly isComplete: boolean;
}
/** Positions of an array in a text: the index after its `[`, the index of its `]`, and the commas between elements. */
export interface ListScan {
    readonly from: number;
    readonly to: number;
    readonly commas: readonly number[];
}
/**
 * One pass over a JSON text before it is parsed. It finds what `JSON.parse` silently accepts: unlimited nesting,
 * duplicate keys (the first value would be lost), keys that reach into prototypes, numbers that would be rounded,
 * U+0000 and lone surrogates (PostgreSQL rejects or alters them).
 *
 * The text need not be valid JSON: the pass always ends, and the parser rejects invalid text later. The pass uses no
 * recursion. It runs in steps, so that a long text does not block the process.
 */
export declare class JsonScanner {
    #private;
    readonly errors: Map<string, string>;
    /**
     * @param maxDepth - the deepest nesting of objects and arrays
     * @param listKey - the key in the outermost object whose value is {@link list}
     */
    constructor(text: string, maxDepth: number, listKey?: string | null);
    /** Runs one step. @returns whether there is more to read */
    step(): boolean;
    get result(): JsonScan;
    /** The array under `listKey` of the outermost object; null if there is none or it has no end. */
    get list(): ListScan | null;
}
/**
 * Checks a JSON text for faults that the grammar allows and this API rejects; see {@link JsonScanner}.
 * @param maxDepth - the deepest nesting of objects and arrays
 */
export declare const scanJson: (text: string, maxDepth: number) => JsonScan;
