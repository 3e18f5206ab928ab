/**
 * The slots of a record: columns with the values of indexed custom fields. Their indexes are partial and leave out records without a
 * value.
 */
export const slots = ['text', 'number'].flatMap((kind) =>
  Array.from({ length: 8 }, (_, index) => `${kind}_${index + 1}`),
);

/** The expression itself if it is a slot column such as `r.text_1`, else null. */
export const slotOf = (expression: string): string | null =>
  slots.some((slot) => expression === `r.${slot}`) ? expression : null;
