/** One row of the table of natural keys. */
export interface NaturalKeyVector {
    readonly kind: 'domain' | 'email' | 'name';
    /** The input, as a client might send it. */
    readonly input: string;
    /** The stored key, or null if the input is refused. */
    readonly expected: string | null;
    /** What the row shows; unique together with `kind`, used as a test title. */
    readonly about: string;
}
/** Functions that make the rows of one kind: `key` for an input that has a key, `refused` for one that has none. */
export declare const vectorsOf: (kind: NaturalKeyVector['kind']) => {
    key: (about: string, input: string, expected: string) => NaturalKeyVector;
    refused: (about: string, input: string) => NaturalKeyVector;
};
