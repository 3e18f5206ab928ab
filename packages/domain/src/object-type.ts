/** The objects that have custom fields and that lists and searches return. */
export const objectTypes = ['opportunity', 'account', 'contact'] as const;

/** One of {@link objectTypes}. */
export type ObjectType = (typeof objectTypes)[number];
