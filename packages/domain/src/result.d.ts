/** The outcome of reading one value: the value in its stored form, or an error text for the sender. */
export type Result<T> = {
    readonly ok: true;
    readonly value: T;
} | {
    readonly ok: false;
    readonly message: string;
};
/** A successful {@link Result}. */
export declare const ok: <T>(value: T) => Result<T>;
/** A failed {@link Result}. Callers of the API get `message` unchanged. */
export declare const fail: (message: string) => {
    readonly ok: false;
    readonly message: string;
};
