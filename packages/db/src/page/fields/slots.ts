/**
 * The slots of a record: columns that hold the values of indexed custom fields. Their indexes are partial, so records without a value
 * are not in them.
 */
export const slots = ['text', 'number'].flatMap((kind) =>
  Array.from({ length: 8 }, (_, index) => `${kind}_${index + 1}`),
);

/** The slot that an expression names, as a column of `r`; null for any other expression. */
export const slotOf = (expression: string): string | null =>
  slots.some((slot) => expression === `r.${slot}`) ? expression : null;
