/** A `date_range` as stored and read: both days as `YYYY-MM-DD`, at most one of them null, start not after end. */
export interface DateRangeValue {
    readonly start: string | null;
    readonly end: string | null;
}
/** A `location` as stored and read: every key present, `formatted` made from the others. Degrees for `lat` and `lng`. */
export interface LocationValue {
    readonly address: string | null;
    readonly city: string | null;
    readonly region: string | null;
    readonly postal_code: string | null;
    readonly country: string | null;
    readonly lat: number | null;
    readonly lng: number | null;
    readonly formatted: string;
}
/** A custom field's value, in the one form in which it is stored and read. */
export type CustomValue = string | number | boolean | readonly string[] | DateRangeValue | LocationValue;
/** Lookups that parsing a value needs. The caller loads the data first, so that parsing does no I/O. */
export interface CustomValueReferences {
    /**
     * The id of the organization's member with this id or email, or undefined if there is none. The argument is always a
     * lower-case id or a normalized email.
     */
    findMemberId(idOrEmail: string): string | undefined;
}
