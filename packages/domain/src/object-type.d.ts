/** The objects that have custom fields and that lists and searches return. */
export declare const objectTypes: readonly ['opportunity', 'account', 'contact'];
/** One of {@link objectTypes}. */
export type ObjectType = (typeof objectTypes)[number];
